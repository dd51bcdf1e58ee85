import type { Settings } from '#libs/config/settings.js';
import { defaultPrefix, rolePassword, rolesOf, type Roles } from '#libs/database/roles.js';

/** The roles of the installation behind a database URL. */
export function installationRoles(settings: Settings, databaseUrl: string): Roles {
  return rolesOf(settings.DATABASE_ROLE_PREFIX ?? defaultPrefix(databaseUrl));
}

/**
 * URLs with which API and worker connect: those set, else the admin's URL with the role and its derived password.
 * @throws Error when it is asked for and not known.
 */
export function connectionUrls(
  settings: Settings,
  masterKey: Buffer,
  adminUrl: string | null,
): { appUrl: string; systemUrl: string } {
  const derive = (role: 'app' | 'system'): string => {
    if (!adminUrl) throw new Error(`Set DATABASE_URL or DATABASE_${role.toUpperCase()}_URL.`);
    const name = installationRoles(settings, adminUrl)[role];
    const url = new URL(adminUrl);
    url.username = name;
    url.password = rolePassword(masterKey, name);
    return url.href;
  };
  return {
    // A process is given only the URL of its own role, so the other one is worked out when it is asked for.
    get appUrl() {
      return settings.DATABASE_APP_URL ?? derive('app');
    },
    get systemUrl() {
      return settings.DATABASE_SYSTEM_URL ?? derive('system');
    },
  };
}
