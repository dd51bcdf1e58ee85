import { OperatorError } from '#libs/config/operator-error.js';
import type { Settings } from '#libs/config/settings.js';
import { defaultPrefix, rolesOf, type Roles } from '#libs/database/roles.js';
import { type LoginRole, storedPassword } from './role-passwords.js';

/** The roles of the installation behind a database URL. */
export function installationRoles(settings: Settings, databaseUrl: string): Roles {
  return rolesOf(settings.DATABASE_ROLE_PREFIX ?? defaultPrefix(databaseUrl));
}

/**
 * URLs for API and worker: the configured ones, otherwise the admin URL with the role and its password in `DATA_DIR`.
 * @throws OperatorError when a URL is read but cannot be determined.
 */
export function connectionUrls(settings: Settings, adminUrl: string | null): { appUrl: string; systemUrl: string } {
  const derive = (role: LoginRole): string => {
    const setting = `DATABASE_${role.toUpperCase()}_URL`;
    if (!adminUrl) throw new OperatorError(`Set DATABASE_URL or ${setting}.`);
    const name = installationRoles(settings, adminUrl)[role];
    const password = storedPassword(settings, name);
    if (password === null)
      throw new OperatorError(
        `There is no password of the database role ${name} in ${settings.DATA_DIR}: set ${setting}, or run the command migrate with this DATA_DIR`,
      );
    const url = new URL(adminUrl);
    url.username = name;
    url.password = password;
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
