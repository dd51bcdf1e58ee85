import type { Settings } from '#libs/config/settings.js';
import { defaultPrefix, rolePassword, rolesOf, type Roles } from '#libs/database/roles.js';

/** The roles of the installation behind a database URL. */
export function installationRoles(settings: Settings, databaseUrl: string): Roles {
  return rolesOf(settings.DATABASE_ROLE_PREFIX ?? defaultPrefix(databaseUrl));
}

/**
 * URLs for API and worker: the configured ones, otherwise the admin URL with the role and its derived password.
 * @throws Error when a URL is read but cannot be determined.
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
    // A process receives only the URL of its own role, so each is derived on access.
    get appUrl() {
      return settings.DATABASE_APP_URL ?? derive('app');
    },
    get systemUrl() {
      return settings.DATABASE_SYSTEM_URL ?? derive('system');
    },
  };
}
