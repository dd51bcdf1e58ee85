import type { Row } from '#libs/database/flights/flight.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { DEFAULT_MFA, type MfaPolicy } from '../mfa-policy.js';
import { USES_WRITTEN_EVERY_MS } from '../credential-uses.js';

const STATE = `select * from directory.session_state($1)`;
/** Other processes write uses with this delay. The grace period ensures that nobody is signed out too early. */
const GRACE_MS = 2 * USES_WRITTEN_EVERY_MS;

/** State of a session besides its credential. */
export interface SessionState {
  /** Idle timeout. */
  idleMs: number;
  /** Last use known to this process, ms since 1970. */
  lastSeenMs: number;
  /** When the sign-in used a second factor, ms since 1970; null if it did not. */
  multiFactorAt: number | null;
  /** Sign-in methods (`amr`). */
  methods: readonly string[];
  /** What the tenant requires of sign-ins. */
  mfa: MfaPolicy;
}

/** The statement for the session with a key id. */
export function sessionStateStatement(keyId: string): Statement {
  return statement(STATE, [keyId]);
}

/** The result of the statement; null for a credential that is not a session. */
export function sessionStateOf([row]: readonly Row[]): SessionState | null {
  if (!row) return null;
  const { idle_seconds: idleSeconds, last_seen_at: lastSeenAt, multi_factor_at: multiFactorAt, methods, mfa } = row;
  return {
    idleMs: Number(idleSeconds) * 1_000,
    lastSeenMs: Date.parse(String(lastSeenAt)),
    multiFactorAt: typeof multiFactorAt === 'string' ? Date.parse(multiFactorAt) : null,
    methods: methods as string[],
    mfa: (mfa as MfaPolicy | null) ?? DEFAULT_MFA,
  };
}

/** Whether a session has exceeded its idle timeout; up to {@link GRACE_MS} late, never early. */
export function isIdle({ lastSeenMs, idleMs }: Pick<SessionState, 'lastSeenMs' | 'idleMs'>, nowMs: number): boolean {
  return nowMs > lastSeenMs + idleMs + GRACE_MS;
}
