import type { PersonalSession } from '#libs/auth/sessions/personal-session.js';
import { SESSION_TYPE, type SessionView, type SignedInTenant } from '#libs/members/session.dto.js';
import type { StoredSession } from './sessions.repository.js';

type Presentable = Omit<StoredSession, 'memberId' | 'name'> & { memberId: string | null };

/** The instant so many seconds after another. */
export const later = (at: string, seconds: number): string => new Date(Date.parse(at) + seconds * 1_000).toISOString();

export function namedTenant({ id, slug, name }: SignedInTenant): SignedInTenant {
  return { id, slug, name };
}

/** A session as shown to its owner. */
export function presentSession(session: Presentable): SessionView {
  const { id, memberId, createdAt, lastSeenAt, idleSeconds, expiresAt, revokedAt, ip, userAgent } = session;
  const idleExpiresAt = later(lastSeenAt, idleSeconds);
  return {
    id,
    object: SESSION_TYPE,
    membershipId: memberId,
    createdAt,
    lastSeenAt,
    idleExpiresAt: idleExpiresAt < expiresAt ? idleExpiresAt : expiresAt,
    expiresAt,
    revokedAt,
    ip,
    userAgent,
    authMethods: session.methods,
    authTime: session.authenticatedAt,
    multiFactorAt: session.multiFactorAt,
  };
}

/** The same for one without a tenant. */
export function presentPersonalSession(session: PersonalSession): SessionView {
  return presentSession({ ...session, memberId: null, revokedAt: null });
}
