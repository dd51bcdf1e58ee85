import { Injectable } from '@nestjs/common';
import { generateKey } from '#libs/auth/api-key.js';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { TenantFacts } from '#libs/tenancy/scope.js';

const FIND_TENANT = `select id, slug, name, plan, currency, epoch::text as epoch from directory.find_tenant($1)`;
const OPEN = `select directory.open_session($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`;
const COLUMNS = `id, user_id as "userId", member_id as "memberId", name, ip, user_agent as "userAgent", methods,
  authenticated_at as "authenticatedAt", multi_factor_at as "multiFactorAt", idle_seconds as "idleSeconds",
  expires_at as "expiresAt", created_at as "createdAt", last_seen_at as "lastSeenAt", revoked_at as "revokedAt"`;
const FIND = `select ${COLUMNS} from directory.find_session($1)`;
const OF_MEMBER = `select ${COLUMNS} from directory.sessions_of($1, $2) limit 1000`;
const RENEW = `select directory.renew_session($1, $2, $3, $4, $5, $6)`;
const PLACES = `select member_id as "memberId", member_name as "memberName", id, slug, name, plan, currency, epoch::text as epoch
  from directory.session_places($1, $2)`;
const IN_BROWSER = `select directory.browser_session($1) as yes`;
const REVOKE = `select directory.revoke_session($1, $2)`;

/** A tenant as shown to people who sign in. */
export interface NamedTenant extends TenantFacts {
  name: string;
}

/** How somebody signed in. */
export interface SignInProof {
  /** As the identity provider names it (`amr`). */
  methods: string[];
  authenticatedAt: string | null;
  multiFactorAt: string | null;
}

/** A session as the directory knows it. */
export interface StoredSession extends SignInProof {
  id: string;
  /** The person over all tenants. */
  userId: string;
  memberId: string;
  /** Name of the member when it was opened. */
  name: string;
  ip: string | null;
  userAgent: string | null;
  idleSeconds: number;
  expiresAt: string;
  createdAt: string;
  lastSeenAt: string;
  revokedAt: string | null;
}

/** Sessions in the directory, which is reached through functions about the tenant in context. */
@Injectable()
export class SessionsRepository {
  constructor(private readonly database: Database) {}

  /** The tenant with a slug; null when there is none. Outside any tenant. */
  async tenant(slug: string): Promise<NamedTenant | null> {
    const [row] = await this.database.systemRead<NamedTenant>(statement(FIND_TENANT, [slug]));
    return row ?? null;
  }

  /** The statement that opens a session for a person, and its token. Only the hash of the token is stored. */
  open(
    session: Omit<StoredSession, 'memberId'> & { memberId: string | null },
    inBrowser: boolean,
  ): { token: string; save: Statement } {
    const { text, keyId, hash } = generateKey('session');
    const save = statement(OPEN, [
      session.id,
      keyId,
      hash,
      session.memberId,
      session.userId,
      session.name,
      session.ip,
      session.userAgent,
      session.methods,
      session.authenticatedAt,
      session.multiFactorAt,
      session.idleSeconds,
      session.expiresAt,
      session.createdAt,
      inBrowser,
    ]);
    return { token: text, save };
  }

  /** As {@link open} for a session that there is, after a fresh sign-in: only one in a browser gets another token. */
  renew(id: string, proof: SignInProof, inBrowser: boolean): { token: string | null; save: Statement } {
    const { methods, authenticatedAt, multiFactorAt } = proof;
    const key = inBrowser ? generateKey('session') : null;
    const values = [id, key?.keyId ?? null, key?.hash ?? null, methods, authenticatedAt, multiFactorAt];
    return { token: key?.text ?? null, save: statement(RENEW, values) };
  }

  /** Where a person has open sessions, and as whom. */
  async placesOf(userId: string, at: string): Promise<{ tenant: TenantFacts; memberId: string; memberName: string }[]> {
    const rows = await this.database.systemRead<NamedTenant & { memberId: string; memberName: string }>(
      statement(PLACES, [userId, at]),
    );
    return rows.map(({ memberId, memberName, ...tenant }) => ({ tenant, memberId, memberName }));
  }

  /** Whether a session was opened by a browser, which has its token in a cookie. */
  async isInBrowser(id: string): Promise<boolean> {
    const [row] = await this.database.read<{ yes: boolean | null }>(statement(IN_BROWSER, [id]));
    return row?.yes ?? false;
  }

  /** Null when the tenant in scope has none with the id. */
  async find(id: string): Promise<StoredSession | null> {
    const [row] = await this.database.read<StoredSession>({ ...statement(FIND, [id]), isShort: true });
    return row ?? null;
  }

  /** The open sessions of a member, the newest first. */
  ofMember(memberId: string, at: string): Promise<StoredSession[]> {
    return this.database.read<StoredSession>(statement(OF_MEMBER, [memberId, at]));
  }

  revoke(id: string, at: string): Statement {
    return statement(REVOKE, [id, at]);
  }
}
