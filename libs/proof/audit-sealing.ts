import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { isUnavailable } from '#libs/database/failures.js';
import { statement } from '#libs/database/statement.js';
import { NIL_UUID } from '#libs/kernel/id.js';
import { Loop, type Work } from '#libs/worker/loop.js';
import type { Background } from '#libs/worker/worker-part.js';
import { AuditSealer } from './audit-sealer.js';

/** Entries are sealed within two seconds of their commit. */
const PAUSES = { busyMs: 500, idleMs: 1_000 };
/** Maximum number of tenants per transaction. */
const TENANTS = 50;

// Skip scan over the tenants in the key, so the cost does not depend on the number of entries per tenant.
const PENDING_TENANTS = `
  with recursive pending (tenant_id) as (
    (select tenant_id from data.audit_pending where tenant_id > $1 order by tenant_id, position limit 1)
    union all
    select next.* from pending, lateral (
      select p.tenant_id from data.audit_pending p where p.tenant_id > pending.tenant_id
      order by p.tenant_id, p.position limit 1) next)
  select tenant_id as "tenantId" from pending limit ${TENANTS}`;

/** Seals audit logs until the process ends. */
@Injectable()
export class AuditSealing implements Background {
  readonly onBehalf = { of: 'platform', because: 'upkeep' } as const;
  private readonly loop = new Loop('Sealing the audit logs', PAUSES, () => this.pass());
  /** The last tenant of the previous pass; nil if the pass reached the end. */
  private after = NIL_UUID;

  constructor(
    private readonly database: Database,
    private readonly sealer: AuditSealer,
  ) {}

  start(): void {
    this.loop.start();
  }

  stop(): Promise<void> {
    return this.loop.stop();
  }

  /** Seals the next entries of the next tenants with unsealed entries. */
  async pass(): Promise<Work> {
    const startedInTheMiddle = this.after !== NIL_UUID;
    const [answer] = await this.database.system([statement(PENDING_TENANTS, [this.after])]);
    const tenantIds = answer!.rows.map(({ tenantId }) => String(tenantId));
    this.after = tenantIds.length < TENANTS ? NIL_UUID : tenantIds.at(-1)!;
    const { sealed, more } = await this.allOrOneByOne(tenantIds);
    if (sealed > 0 && (more || this.after !== NIL_UUID)) return 'full';
    return startedInTheMiddle ? 'full' : sealed > 0 ? 'some' : 'none';
  }

  /** A failing tenant must not block the others. */
  private async allOrOneByOne(tenantIds: readonly string[]): Promise<{ sealed: number; more: boolean }> {
    if (tenantIds.length === 0) return { sealed: 0, more: false };
    try {
      return await this.sealer.sealNext(tenantIds);
    } catch (error) {
      if (isUnavailable(error) || tenantIds.length === 1) throw error;
    }
    const outcomes: PromiseSettledResult<unknown>[] = [];
    for (const tenantId of tenantIds) outcomes.push(...(await Promise.allSettled([this.sealer.sealNext([tenantId])])));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
    return { sealed: outcomes.length, more: true };
  }
}
