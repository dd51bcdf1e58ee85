import { OperatorError } from '#libs/config/operator-error.js';
import { isUnavailable, isUnreachable } from '#libs/database/failures.js';

/** SQLSTATEs of a refused login. */
const REFUSED_LOGIN = new Set(['28P01', '28000']);
/** SQLSTATEs for a table, function or schema that is missing or not yet accessible. */
const NOT_MIGRATED = new Set(['42P01', '42883', '3F000', '42501', '42703']);

/** Explains a database failure to the operator; other errors are returned unchanged. */
export function explained(error: unknown, url: string): unknown {
  if (error instanceof OperatorError) return error;
  const { hostname, port, pathname, username } = new URL(url);
  const name = `${hostname}:${port || 5432}${pathname}`;
  const cause = isUnavailable(error) ? (error.more.cause ?? error) : error;
  const code = cause instanceof Error ? String((cause as NodeJS.ErrnoException).code ?? '') : '';
  const reason = cause instanceof Error ? cause.message || code : String(cause);
  if (REFUSED_LOGIN.has(code))
    return new OperatorError(
      `The database ${name} refuses the role ${username}: it has not been migrated (run the command migrate), or the password differs from the one set by migrate`,
      { cause: error },
    );
  if (code === '3D000') return new OperatorError(`There is no database ${name}`, { cause: error });
  if (NOT_MIGRATED.has(code))
    return new OperatorError(`The database ${name} is not at the newest schema: run the command migrate (${reason})`, {
      cause: error,
    });
  if (cause !== error || isUnreachable(cause))
    return new OperatorError(`The database ${name} did not respond: ${reason}`, { cause: error });
  return error;
}
