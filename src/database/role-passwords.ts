import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { makeDataDir } from '#libs/config/data-dir.js';
import { OperatorError } from '#libs/config/operator-error.js';
import { createPrivate, readPrivate } from '#libs/config/private-file.js';
import type { Settings } from '#libs/config/settings.js';

/** The roles that log in. */
export type LoginRole = 'app' | 'system';

const pathOf = ({ DATA_DIR }: Pick<Settings, 'DATA_DIR'>, name: string): string => join(DATA_DIR, `${name}.password`);

/** Password of a role in `DATA_DIR`; null if there is none. @throws OperatorError */
export function storedPassword(settings: Pick<Settings, 'DATA_DIR'>, name: string): string | null {
  const path = pathOf(settings, name);
  try {
    return readPrivate(path) || null;
  } catch (error) {
    throw new OperatorError(`The password of the database role in ${path} cannot be read: ${(error as Error).message}`);
  }
}

/**
 * The password that `migrate` sets for a role: that of its connection URL, otherwise the one in
 * `DATA_DIR/<role>.password`, which is generated if there is none. Null if the process connects with another role.
 * @param isKnown Whether `migrate` has already set a password, which running processes may be using.
 * @throws OperatorError if that password is known only to another machine.
 */
export function passwordToSet(
  settings: Settings,
  role: { kind: LoginRole; name: string; isKnown: boolean },
): string | null {
  const { kind, name, isKnown } = role;
  const setting = `DATABASE_${kind === 'app' ? 'APP' : 'SYSTEM'}_URL` as const;
  const given = settings[setting];
  if (given !== null) {
    const { username, password } = new URL(given);
    return decodeURIComponent(username) === name ? decodeURIComponent(password) || null : null;
  }
  const stored = storedPassword(settings, name);
  if (stored !== null) return stored;
  const path = pathOf(settings, name);
  if (isKnown && settings.DATABASE_URL !== null)
    throw new OperatorError(
      `The password of the database role ${name} is not in ${path}: set ${setting} to the URL that the processes use, or DATA_DIR to the folder of the first migrate. To change the password, write a new one into that file`,
    );
  makeDataDir(settings);
  try {
    return createPrivate(path, randomBytes(24).toString('base64url'));
  } catch (error) {
    throw new OperatorError(
      `The password of a database role cannot be written to ${path}: ${(error as Error).message}`,
    );
  }
}
