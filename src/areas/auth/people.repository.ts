import { Injectable } from '@nestjs/common';
import type { ProvenPerson } from '#libs/auth/oidc/id-tokens.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Clock } from '#libs/kernel/clock.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { NamedTenant, SignInProof } from './sessions.repository.js';

const FIND = `select id from directory.find_user($1, $2)`;
const KEEP = `select directory.keep_user($1, $2, $3, $4, $5, $6) as id`;
const USE_TOKEN = `select directory.use_id_token($1, $2) as fresh`;
const OF_SESSION = `select user_id as "userId", email, name, methods, authenticated_at as "authenticatedAt",
  multi_factor_at as "multiFactorAt" from directory.person_of($1)`;
const TENANTS_OF = `select id, slug, name, plan, currency, epoch::text as epoch from directory.tenants_of($1)`;
const TENANTS_OF_SESSION = `select t.id, t.slug, t.name, t.plan, t.currency, t.epoch::text as epoch
  from directory.person_of($1) p cross join lateral directory.tenants_of(p.user_id) t`;
const MEMBER_OF = `select id from data.memberships where tenant_id = $1 and user_id = $2 and deleted_at is null`;

/** A person, as identified by a session. */
export interface KnownPerson extends SignInProof {
  userId: string;
  /** Verified when they signed in. */
  email: string | null;
  name: string | null;
}

/** People over all tenants, in the directory. */
@Injectable()
export class PeopleRepository {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Id of the person whom the provider knows under a subject; null when they have never signed in. */
  async find(transaction: Transaction, { issuer, subject }: ProvenPerson): Promise<string | null> {
    const [row] = await transaction.query<{ id: string }>(statement(FIND, [issuer, subject]));
    return row?.id ?? null;
  }

  /** Records a sign-in. @returns the id of the person. */
  async keep(transaction: Transaction, { issuer, subject, email, name }: ProvenPerson, at: string): Promise<string> {
    const [row] = await transaction.query<{ id: string }>(
      statement(KEEP, [uuidv7(), issuer, subject, email, name, at]),
    );
    return row!.id;
  }

  /** Marks a single-use value, such as an ID token, as used in the current transaction. @returns whether this is its first use. */
  async useToken(transaction: Transaction, { token }: Pick<ProvenPerson, 'token'>): Promise<boolean> {
    const [row] = await transaction.query<{ fresh: boolean }>(statement(USE_TOKEN, [token.hash, token.expiresAt]));
    return row!.fresh;
  }

  /** Marks a single-use value as used, outside any transaction, so that it stays used. @returns whether this is its first use. */
  async useOnce(hash: Buffer, until: string): Promise<boolean> {
    const [answer] = await this.database.system([statement(USE_TOKEN, [hash, until])]);
    return answer!.rows[0]!['fresh'] as boolean;
  }

  /** As {@link keep}, for a person without a tenant. */
  async know({ issuer, subject, email, name }: ProvenPerson): Promise<string> {
    const at = this.clock.now().toISOString();
    const [answer] = await this.database.system([statement(KEEP, [uuidv7(), issuer, subject, email, name, at])]);
    return answer!.rows[0]!['id'] as string;
  }

  /** The tenants that a person is an active member of, or has been provisioned to, by slug. */
  async tenantsOf(userId: string): Promise<NamedTenant[]> {
    return this.database.systemRead<NamedTenant>(statement(TENANTS_OF, [userId]));
  }

  /** As {@link tenantsOf}, for the person of a session of the current tenant. */
  async tenantsOfSession(sessionId: string): Promise<NamedTenant[]> {
    return this.database.read<NamedTenant>({ ...statement(TENANTS_OF_SESSION, [sessionId]), isShort: true });
  }

  /** The person of a session. */
  async ofSession(sessionId: string): Promise<KnownPerson> {
    const [row] = await this.database.systemRead<KnownPerson>(statement(OF_SESSION, [sessionId]));
    return row!;
  }

  /** Id of the person's membership in the tenant in scope; null when they have none. */
  async membershipOf(transaction: Transaction, userId: string): Promise<string | null> {
    const [row] = await transaction.query<{ id: string }>(statement(MEMBER_OF, [currentTenant().id, userId]));
    return row?.id ?? null;
  }
}
