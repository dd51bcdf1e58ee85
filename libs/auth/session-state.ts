import type { Row } from '#libs/database/flight.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { DEFAULT_MFA, type MfaPolicy } from './mfa-policy.js';
import { USES_WRITTEN_EVERY_MS } from './credential-uses.js';

const STATE = `select * from directory.session_state($1)`;
/** Uses in other processes may be written that much later: nobody is signed out who was not idle for the whole time. */
const GRACE_MS = 2 * USES_WRITTEN_EVERY_MS;

/** What there is to know about a session besides its credential. */
export interface SessionState {
  /** How long it may lie idle. */
  idleMs: number;
  /** When it was used last, as far as this process knows, ms since 1970. */
  lastSeenMs: number;
  /** When the sign-in behind it saw a second factor, ms since 1970; null if it did not. */
  multiFactorAt: number | null;
  /** How the person signed in (`amr`). */
  methods: readonly string[];
  /** What the tenant demands of sign-ins. */
  mfa: MfaPolicy;
}

/** The statement for the session with a key id. */
export function sessionStateStatement(keyId: string): Statement {
  return statement(STATE, [keyId]);
}

/** What the statement answered; null for a credential that is no session. */
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

/** Whether a session has lain idle for longer than it may: exact to {@link GRACE_MS}, never too early. */
export function isIdle({ lastSeenMs, idleMs }: Pick<SessionState, 'lastSeenMs' | 'idleMs'>, nowMs: number): boolean {
  return nowMs > lastSeenMs + idleMs + GRACE_MS;
}
