import { auditStatement, type Changes } from '#libs/audit/audit-entry.js';
import { OperatorError } from '#libs/config/operator-error.js';
import type { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { currentScope, runAsSystem, type TenantFacts } from '#libs/tenancy/scope.js';
import type { Plan } from './plans.js';
import type { RateLimits } from './principal.js';

/** A tenant as stored in the directory. */
export interface TenantRecord {
  id: string;
  slug: string;
  name: string;
  plan: Plan;
  ownerEmail: string | null;
  /** Default currency of amounts (ISO 4217). */
  currency: string;
  readsPerMinute: number;
  writesPerMinute: number;
  status: 'active' | 'suspended' | 'closing' | 'closed';
  /** Raised by every change of the tenant's plan, credentials or configuration. */
  epoch: number;
  createdAt: string;
}

const COLUMNS = `id, slug, name, plan, owner_email as "ownerEmail", currency, reads_per_minute as "readsPerMinute",
  writes_per_minute as "writesPerMinute", epoch, case when closed_at is not null then 'closed'
    when suspended_at is not null then 'suspended' when closes_at is not null then 'closing' else 'active' end as status, created_at as "createdAt"`;
const FIND = `select ${COLUMNS} from directory.tenants where slug = $1`;
const LIST = `select ${COLUMNS} from directory.tenants order by slug`;
const LOCK = `select ${COLUMNS} from directory.tenants where id = $1 for no key update`;
const SET_PLAN = `update directory.tenants set plan = $2, reads_per_minute = $3, writes_per_minute = $4 where id = $1
  returning ${COLUMNS}`;

/** Type of the target in the audit log. */
const TARGET = 'core.tenant';

/**
 * The tenants of the installation, for the operator. Needs the `system` role: the API's has no rights here.
 *
 * Every change is one transaction with its audit row, under the system actor `actorName`.
 */
export class TenantDirectory {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly actorName: string,
  ) {}

  /** All tenants, by slug. */
  async list(): Promise<TenantRecord[]> {
    return this.database.systemRead<TenantRecord>(statement(LIST));
  }

  /** Null when no tenant has the slug. */
  async find(slug: string): Promise<TenantRecord | null> {
    const [row] = await this.database.systemRead<TenantRecord>(statement(FIND, [slug]));
    return row ?? null;
  }

  /** @throws OperatorError when no tenant has the slug or the tenant is closed. */
  async get(slug: string): Promise<TenantRecord> {
    const tenant = await this.find(slug);
    if (!tenant) throw new OperatorError(`There is no tenant with the slug "${slug}"`);
    if (tenant.status === 'closed') throw new OperatorError(`The tenant ${slug} is closed`);
    return tenant;
  }

  /** Changes the plan or limits of a tenant, effective with its next request. Returns the changed tenant. */
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

/** The tenant facts for a scope. */
export function factsOf({ id, slug, plan, currency, epoch }: TenantRecord): TenantFacts {
  return { id, slug, plan, currency, epoch: String(epoch) };
}

function changesFrom(before: TenantRecord, after: Partial<TenantRecord>): Changes {
  return Object.fromEntries(
    Object.entries(after)
      .map(([field, to]) => [field, { from: before[field as keyof TenantRecord], to }] as const)
      .filter(([, { from, to }]) => from !== to),
  );
}
