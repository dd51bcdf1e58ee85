import type { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { callerOrNull } from './current-principal.js';
import { personBehind } from './principal.js';

const KEYS_OF = `select directory.keys_of_person($1, $2) as id`;

/**
 * Whether somebody, such as the member whom a record is about, is the person behind the caller's credential. The
 * platform itself is nobody.
 */
export function isBehindCaller(person: string | null): boolean {
  const caller = callerOrNull();
  return caller !== null && person !== null && personBehind(caller) === person;
}

/** As {@link keysOf}, for the person behind the caller's credential. */
export async function keysOfCaller(database: Database, keyIds: readonly string[]): Promise<ReadonlySet<string>> {
  const caller = callerOrNull();
  return caller ? keysOf(database, personBehind(caller), keyIds) : new Set();
}

/** Those of the API keys, or of their secrets, that a person owns, has made or has rotated. */
export async function keysOf(
  database: Database,
  person: string,
  keyIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (keyIds.length === 0) return new Set();
  const rows = await database.read<{ id: string }>(statement(KEYS_OF, [person, [...keyIds]]));
  return new Set(rows.map(({ id }) => id));
}
