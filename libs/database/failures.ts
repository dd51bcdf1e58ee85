import { Problem } from '#libs/kernel/problem.js';
import { UNDER_HOLD } from './legal-holds.js';

/** Errors of PostgreSQL and of the network. Recognized by their members, because they can come from another realm. */
interface DatabaseError {
  code?: unknown;
  constraint?: unknown;
  message?: unknown;
}

/** SQLSTATE of `directory.check_epoch`: the cached facts about the tenant are outdated. */
const STALE_FACTS = 'TOP01';
/** SQLSTATE of `data.expect_reference`: a referenced record does not exist. */
const BROKEN_REFERENCE = 'TOP04';
/** SQLSTATE of `data.expect_permission`: the caller's permission does not cover the written row. */
const BEYOND_REACH = 'TOP10';
/** SQLSTATE of `data.ai_reserve`: an AI spending account has no room. */
const NO_ROOM = 'TOP11';
/** SQLSTATE of `data.ai_exhaust`: the exhaustion of an account has already been reported. */
const TOLD_ALREADY = 'TOP12';
/** SQLSTATE of `data.expect_open_tags`: a tag is archived. */
const ARCHIVED_TAG = 'TOP13';
const UNIQUE_VIOLATION = '23505';
const CANCELLED = '57014';
/** Cancelled by the statement or lock timeout, or repeatedly retried because the tenant kept changing. */
const TOO_LONG = new Set([CANCELLED, '55P03', STALE_FACTS]);
const TRANSIENT = new Set(['40001', '40P01']);
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  '57P01',
  '57P02',
  '57P03',
  '53300',
]);

/** PostgreSQL has no disk space, memory or other resource left; what file systems say of theirs. */
const OUT_OF_ROOM = new Set(['53000', '53100', '53200', 'ENOSPC', 'EDQUOT']);

const membersOf = (error: unknown): DatabaseError => (typeof error === 'object' && error !== null ? error : {});
const codeOf = (error: unknown): string => {
  const { code } = membersOf(error);
  return typeof code === 'string' ? code : '';
};

/** Whether PostgreSQL cancelled a statement because it exceeded its timeout. */
export function isTimeout(error: unknown): boolean {
  return codeOf(error) === CANCELLED;
}

/** Whether the tenant's facts have changed since they were cached. */
export function isStaleFacts(error: unknown): boolean {
  return codeOf(error) === STALE_FACTS;
}

/** Whether the same transaction may succeed on a retry: serialization failure or deadlock. */
export function isTransient(error: unknown): boolean {
  return TRANSIENT.has(codeOf(error));
}

/** Whether no pool connection became free in time. PostgreSQL may be healthy, and retrying only adds load. */
export function isPoolExhausted(error: unknown): boolean {
  return codeOf(error) === '' && String(membersOf(error).message) === 'timeout exceeded when trying to connect';
}

/** Whether a connection was not open in time. PostgreSQL or this machine may only be slow. */
export function isConnectTimeout(error: unknown): boolean {
  return codeOf(error) === '' && String(membersOf(error).message) === 'Connection terminated due to connection timeout';
}

/** Whether PostgreSQL could not be reached or the connection was lost. The outcome is unknown. */
export function isUnreachable(error: unknown): boolean {
  const code = codeOf(error);
  if (UNREACHABLE.has(code) || code.startsWith('08')) return true;
  return (
    code === '' &&
    /Connection terminated|Client has encountered a connection error/.test(String(membersOf(error).message))
  );
}

/** Whether nothing can be written because a disk or memory is full. Reads mostly still work. */
export function isOutOfRoom(error: unknown): boolean {
  return OUT_OF_ROOM.has(codeOf(error));
}

/** Whether the statement violated the named unique, foreign key or check constraint. */
export function breaksConstraint(error: unknown, constraint: string): boolean {
  return membersOf(error).constraint === constraint;
}

/** Name of the unique constraint or index that the statement violated; null for any other error. */
export function brokenUnique(error: unknown): string | null {
  const { constraint } = membersOf(error);
  return codeOf(error) === UNIQUE_VIOLATION && typeof constraint === 'string' ? constraint : null;
}

/** Whether PostgreSQL refused a value or row permanently, so that a retry is pointless. SQLSTATE classes 22 and 23. */
export function isRefusedRow(error: unknown): boolean {
  return /^2[23]/.test(codeOf(error));
}

/** JSON pointer of the field whose referenced record does not exist; null for any other error. */
export function brokenReference(error: unknown): string | null {
  return codeOf(error) === BROKEN_REFERENCE ? String(membersOf(error).message) : null;
}

/** The permission that does not cover the written row; null for any other error. */
export function exceededPermission(error: unknown): string | null {
  return codeOf(error) === BEYOND_REACH ? String(membersOf(error).message) : null;
}

/** JSON about the account that has no room for a reservation; null for any other error. */
export function refusingAccount(error: unknown): string | null {
  return codeOf(error) === NO_ROOM ? String(membersOf(error).message) : null;
}

/** Whether a statement failed because the exhaustion has already been reported. */
export function isToldAlready(error: unknown): boolean {
  return codeOf(error) === TOLD_ALREADY;
}

/** The archived tag that caused the error; null for any other error. */
export function archivedTag(error: unknown): string | null {
  return codeOf(error) === ARCHIVED_TAG ? String(membersOf(error).message) : null;
}

const RETRY_AFTER = { 'retry-after': '1' };
/** Somebody has to make room first. */
const RETRY_LATER = { 'retry-after': '30' };

/** The 503 while the database is unreachable or has no room. `Database` logs the outage, so nobody else has to. */
export class OutageProblem extends Problem {}

/** The 423 for a record that is under a legal hold; null for any other error. */
export function heldProblem(error: unknown): Problem | null {
  if (codeOf(error) !== UNDER_HOLD) return null;
  const detail = 'A legal hold covers the record, so it cannot be deleted or erased.';
  return new Problem('legal_hold', detail, { cause: error });
}

/**
 * The 423 for a record under a legal hold; the 503 for a database that has no free connection, is unreachable, full or
 * too slow, or has too much contention; any other error unchanged.
 */
export function asProblem(error: unknown): unknown {
  const held = heldProblem(error);
  if (held) return held;
  if (isPoolExhausted(error))
    return new Problem('overloaded', 'No database connection became free in time; try again.', {
      headers: RETRY_AFTER,
      cause: error,
    });
  if (isOutOfRoom(error))
    return new OutageProblem('unavailable', 'Nothing can be stored right now; try again later.', {
      headers: RETRY_LATER,
      cause: error,
    });
  if (isUnreachable(error) || isTransient(error) || TOO_LONG.has(codeOf(error))) {
    const more = { headers: RETRY_AFTER, cause: error };
    const kind = isUnreachable(error) ? OutageProblem : Problem;
    return new kind('unavailable', 'The database did not answer in time; try again.', more);
  }
  return error;
}

/**
 * Whether {@link asProblem} created this error because the database was unavailable or too slow. Such an error says
 * nothing about the request.
 */
export function isUnavailable(error: unknown): error is Problem {
  return error instanceof Problem && error.status === 503;
}
