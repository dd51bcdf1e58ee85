import type { Row } from '#libs/database/flights/flight.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { isIdle } from './session-state.js';

const FIND = `select * from directory.personal_session($1)`;

/** A session of a person who has signed in but not chosen a tenant. It proves their identity and grants no rights. */
export interface PersonalSession {
  id: string;
  /** The person across all tenants. */
  userId: string;
  /** Verified at sign-in. */
  email: string | null;
  name: string | null;
  methods: string[];
  authenticatedAt: string | null;
  multiFactorAt: string | null;
  ip: string | null;
  userAgent: string | null;
  idleSeconds: number;
  expiresAt: string;
  createdAt: string;
  lastSeenAt: string;
  inBrowser: boolean;
}

/** The statement for the session with a key id. */
export function personalSessionStatement(keyId: string): Statement {
  return statement(FIND, [keyId]);
}

/** The result of the statement; null when there is no such session. */
export function personalSessionOf([row]: readonly Row[]) {
  if (!row) return null;
  const session = presentPersonal(row);
  return {
    session,
    secretHash: row['secret_hash'] as Buffer,
    isOpen: (nowMs: number): boolean =>
      row['revoked_at'] === null &&
      Date.parse(session.expiresAt) > nowMs &&
      !isIdle({ idleMs: session.idleSeconds * 1_000, lastSeenMs: Date.parse(session.lastSeenAt) }, nowMs),
  };
}

/** Maps a row of the directory to a session. */
export function presentPersonal(row: Row): PersonalSession {
  return {
    id: row['id'] as string,
    userId: row['user_id'] as string,
    email: row['email'] as string | null,
    name: row['name'] as string | null,
    methods: row['methods'] as string[],
    authenticatedAt: row['authenticated_at'] as string | null,
    multiFactorAt: row['multi_factor_at'] as string | null,
    ip: row['ip'] as string | null,
    userAgent: row['user_agent'] as string | null,
    idleSeconds: row['idle_seconds'] as number,
    expiresAt: row['expires_at'] as string,
    createdAt: row['created_at'] as string,
    lastSeenAt: row['last_seen_at'] as string,
    inBrowser: row['in_browser'] as boolean,
  };
}

/** The person whose session without a tenant made the request; null for any other credential. */
export function personOrNull(): PersonalSession | null {
  return currentScope().person as PersonalSession | null; // only the credential guard sets it
}
