import { auditStatement } from '#libs/audit/audit-entry.js';
import type { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { currentScope, runAsSystem, type TenantFacts } from '#libs/tenancy/scope.js';

/** An event that could not be fanned out, for operators. */
export interface SetAsideEvent {
  /** Slug of the tenant. */
  tenant: string;
  eventId: string;
  type: string;
  sequence: string;
  /** Failed attempts since it was set aside, or since an operator retried it. */
  attempts: number;
  /** When it is retried; null if it is given up. */
  nextAttemptAt: string | null;
  setAsideAt: string;
  error: string;
}

/** Maximum number of listed events, the oldest first. */
export const LISTED = 1_000;

const LIST = `
  select t.slug as tenant, s.event_id as "eventId", e.type, s.sequence::text as sequence, s.attempts,
    s.due_at as "nextAttemptAt", s.set_aside_at as "setAsideAt", s.error
  from data.events_set_aside s join directory.tenants t on t.id = s.tenant_id
    join data.events e on e.tenant_id = s.tenant_id and e.id = s.event_id
  where $1::uuid is null or s.tenant_id = $1 order by s.set_aside_at, s.event_id limit ${LISTED}`;
const TENANTS = `
  select t.id, t.slug, t.plan, t.currency, t.epoch::text as epoch from directory.tenants t
  where t.id = $1 or $1::uuid is null and t.id in (select tenant_id from data.events_set_aside)`;
const RETRY = `update data.events_set_aside set attempts = 0, due_at = now() where tenant_id = $1 returning event_id`;

/** The operator's view of events that could not be fanned out. Requires the `system` role. */
export class SetAsideRegister {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly actorName: string,
  ) {}

  /** The events of one tenant, or of all tenants if null. */
  async list(tenantId: string | null): Promise<SetAsideEvent[]> {
    return this.database.systemRead<SetAsideEvent>(statement(LIST, [tenantId]));
  }

  /**
   * Retries the events of one tenant, or of all tenants if null, starting with the first delay. Returns their number.
   */
  async retry(tenantId: string | null): Promise<number> {
    const tenants = await this.database.systemRead<TenantFacts>(statement(TENANTS, [tenantId]));
    let count = 0;
    for (const tenant of tenants)
      count += await runAsSystem(tenant, this.actorName, uuidv7(), () => this.retryOf(tenant));
    return count;
  }

  private retryOf(tenant: TenantFacts): Promise<number> {
    return this.database.transaction(async (transaction) => {
      const events = await transaction.query(statement(RETRY, [tenant.id]));
      const target = { type: 'core.tenant', id: tenant.id, name: tenant.slug };
      const changes = { eventsRetried: { from: null, to: events.length } };
      const fact = {
        action: 'outbox.events_retried',
        target,
        outcome: 'success' as const,
        riskLevel: 'medium' as const,
      };
      if (events.length > 0)
        transaction.write(auditStatement(currentScope(), { ...fact, changes }, this.clock.now().toISOString()));
      return events.length;
    });
  }
}
