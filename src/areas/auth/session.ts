import { SESSION_TYPE, SESSIONS_PATH, SessionView } from '#libs/members/session.dto.js';

/** A session as the API shows it, for the documentation. */
export const SESSION_EXAMPLE: SessionView = {
  id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1c01',
  object: SESSION_TYPE,
  membershipId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b40',
  createdAt: '2026-11-21T09:15:02.114Z',
  lastSeenAt: '2026-11-21T09:41:30.002Z',
  idleExpiresAt: '2026-11-21T10:41:30.002Z',
  expiresAt: '2026-11-21T21:15:02.114Z',
  revokedAt: null,
  ip: '192.0.2.10',
  userAgent: 'Mozilla/5.0',
  authMethods: ['mfa', 'pwd'],
  authTime: '2026-11-21T09:14:58.000Z',
  multiFactorAt: '2026-11-21T09:14:58.000Z',
};

/** Declaration of the events about sessions. */
export const sessionEvents = {
  type: SESSION_TYPE,
  path: SESSIONS_PATH,
  hasPath: false,
  told: SessionView,
  events: { created: 'Somebody signed in.', revoked: 'A session was ended before its time.' },
  example: withoutPlace(SESSION_EXAMPLE),
};

/** Location data is only shown to the person, not to receivers of events. */
export function withoutPlace(session: SessionView): SessionView & Record<string, unknown> {
  return { ...session, ip: null, userAgent: null };
}
