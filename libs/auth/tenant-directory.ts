import { auditStatement, type Changes } from '#libs/audit/audit-entry.js';
import { OperatorError } from '#libs/config/operator-error.js';
import type { Database } from '#libs/database/database.js';
import { breaksConstraint } from '#libs/database/failures.js';
import { statement } from '#libs/database/statement.js';
import type { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import type { Sealer } from '#libs/sealing/sealer.js';
import { currentScope, runAsSystem, type TenantFacts } from '#libs/tenancy/scope.js';
import { founding } from './founding.js';
import { credentialFact, type IssuedCredential, newCredential } from './new-credential.js';
import type { Plan } from './plans.js';
import type { RateLimits } from './principal.js';

/** A tenant as the directory knows it. */
export interface TenantRecord {
  id: string;
  slug: string;
  name: string;
  plan: Plan;
  ownerEmail: string | null;
  /** ISO 4217 code that amounts get when a request names none. */
  currency: string;
  readsPerMinute: number;
  writesPerMinute: number;
  /** Raised by every change of the tenant's plan, credentials or configuration. */
  epoch: number;
  createdAt: string;
}

/** What a tenant is made with. The slug is checked by the database too. */
export interface NewTenant {
  slug: string;
  name: string;
  plan: Plan;
  ownerEmail: string | null;
  /** ISO 4217 code. */
  currency: string;
  limits: RateLimits;
  /** Name of its first API key, which carries all scopes and may do protected operations. */
  keyName: string;
}

const COLUMNS = `id, slug, name, plan, owner_email as "ownerEmail", currency, reads_per_minute as "readsPerMinute",
  writes_per_minute as "writesPerMinute", epoch, created_at as "createdAt"`;
const FIND = `select ${COLUMNS} from directory.tenants where slug = $1`;
const LIST = `select ${COLUMNS} from directory.tenants order by slug`;
const LOCK = `select ${COLUMNS} from directory.tenants where id = $1 for no key update`;
const INSERT = `insert into directory.tenants (id, slug, name, plan, owner_email, currency, reads_per_minute,
    writes_per_minute, created_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;
const SET_PLAN = `update directory.tenants set plan = $2, reads_per_minute = $3, writes_per_minute = $4 where id = $1
  returning ${COLUMNS}`;
const START_SEQUENCE = `insert into data.event_sequences (tenant_id, last) values ($1, 0)`;

/** Type of the target in the audit log. */
const TARGET = 'core.tenant';
const FIRST_EPOCH = '1';

/**
 * The tenants of the installation, for the operator. Needs the `system` role: the API's has no rights here.
 *
 * Every change is one transaction with its audit row, written in the name of `actorName`, a system actor.
 */
export class TenantDirectory {
  constructor(
    private readonly database: Database,
    private readonly sealer: Sealer,
    private readonly clock: Clock,
    private readonly actorName: string,
  ) {}

  /** All tenants, by slug. */
  async list(): Promise<TenantRecord[]> {
    const [answer] = await this.database.system([statement(LIST)]);
    return answer!.rows as unknown as TenantRecord[]; // the columns are selected under the names of its members
  }

  /** Null when no tenant has the slug. */
  async find(slug: string): Promise<TenantRecord | null> {
    const [answer] = await this.database.system([statement(FIND, [slug])]);
    const [row] = answer!.rows as unknown as TenantRecord[]; // as in list()
    return row ?? null;
  }

  /** @throws OperatorError when no tenant has the slug. */
  async get(slug: string): Promise<TenantRecord> {
    const tenant = await this.find(slug);
    if (!tenant) throw new OperatorError(`There is no tenant with the slug "${slug}"`);
    return tenant;
  }

  /**
   * Makes a tenant with what it needs from its first request on: an API key, a data key, the counter of its events, the
   * default workspace, and the membership of its owner.
   * @throws OperatorError when the slug is taken; nothing is made then.
   */
  async create(wanted: NewTenant): Promise<{ tenantId: string; apiKey: IssuedCredential }> {
    const { slug, name, plan, ownerEmail, currency, limits, keyName } = wanted;
    const tenantId = uuidv7();
    const at = this.clock.now().toISOString();
    const facts: TenantFacts = { id: tenantId, slug, plan, currency, epoch: FIRST_EPOCH };
    const key = newCredential(
      tenantId,
      {
        kind: 'api_key',
        name: keyName,
        scopes: ['*'],
        allowProtected: true,
        allowedCidrs: [],
        expiresAt: null,
        memberId: null,
      },
      { at, by: { type: 'system', id: null, name: this.actorName } },
    );
    // The owner's address is personal data, which an entry that can never change must not hold.
    const changes = changesFrom(null, { slug, name, plan, readsPerMinute: limits.read, writesPerMinute: limits.write });
    try {
      await this.asSystem(facts, () =>
        this.database.transaction(async (transaction) => {
          transaction.write(
            statement(INSERT, [tenantId, slug, name, plan, ownerEmail, currency, limits.read, limits.write, at]),
          );
          for (const each of key.statements) transaction.write(each);
          transaction.write(this.sealer.firstKey(tenantId));
          transaction.write(statement(START_SEQUENCE, [tenantId]));
          const { statements, facts: beginnings } = founding(tenantId, ownerEmail, at);
          for (const each of statements) transaction.write(each);
          transaction.write(this.audit('core.tenant.created', { id: tenantId, name }, changes, at));
          const fact = credentialFact('created', 'api_key', { id: key.issued.id, name: keyName }, key.changes);
          for (const each of [fact, ...beginnings]) transaction.write(auditStatement(currentScope(), each, at));
        }),
      );
    } catch (error) {
      if (breaksConstraint(error, 'tenants_slug_key')) throw new OperatorError(`The slug "${slug}" is taken`);
      throw error;
    }
    return { tenantId, apiKey: key.issued };
  }

  /** Gives a tenant another plan or other limits, in force from its next request on. Answers the tenant as it is then. */
  async setPlan(tenant: TenantRecord, plan: Plan, limits: RateLimits): Promise<TenantRecord> {
    const at = this.clock.now().toISOString();
    return this.asSystem(factsOf(tenant), () =>
      this.database.transaction(async (transaction) => {
        const [before] = await transaction.query<TenantRecord>(statement(LOCK, [tenant.id]));
        const wanted = { plan, readsPerMinute: limits.read, writesPerMinute: limits.write };
        const changes = changesFrom(before!, wanted);
        if (Object.keys(changes).length === 0) return before!;
        transaction.write(this.audit('core.tenant.plan_changed', tenant, changes, at));
        const values = [tenant.id, plan, limits.read, limits.write];
        const [after] = await transaction.query<TenantRecord>(statement(SET_PLAN, values));
        return after!;
      }),
    );
  }

  private asSystem<T>(tenant: TenantFacts, work: () => Promise<T>): Promise<T> {
    return runAsSystem(tenant, this.actorName, uuidv7(), work);
  }

  private audit(action: string, { id, name }: { id: string; name: string }, changes: Changes, at: string) {
    const target = { type: TARGET, id, name };
    return auditStatement(currentScope(), { action, target, outcome: 'success', riskLevel: 'medium', changes }, at);
  }
}

/** What a scope needs to know about a tenant. */
export function factsOf({ id, slug, plan, currency, epoch }: TenantRecord): TenantFacts {
  return { id, slug, plan, currency, epoch: String(epoch) };
}

function changesFrom(before: TenantRecord | null, after: Partial<TenantRecord>): Changes {
  return Object.fromEntries(
    Object.entries(after)
      .map(([field, to]) => [field, { from: before?.[field as keyof TenantRecord] ?? null, to }] as const)
      .filter(([, { from, to }]) => from !== to),
  );
}
