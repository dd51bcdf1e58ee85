import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { runAsSystem, type TenantFacts } from '#libs/tenancy/scope.js';
import type { Work } from '#libs/worker/loop.js';
import { Upkeep } from '#libs/worker/upkeep.js';
import { TenantLife } from './tenant-life.js';

const EVERY_MS = 60_000;
const BATCH = 50;
const DUE = `select id, slug, plan, currency, epoch::text as epoch from directory.tenants
  where closes_at <= $1 and closed_at is null order by closes_at limit ${BATCH}`;

/** Closes tenants whose period for cancelling the closure has passed. Needs the `system` role. */
@Injectable()
export class TenantClosing extends Upkeep {
  readonly onBehalf = { of: 'platform', because: 'upkeep' } as const;

  constructor(
    private readonly database: Database,
    private readonly life: TenantLife,
    private readonly clock: Clock,
  ) {
    super('The closing of tenants', EVERY_MS);
  }

  async sweep(): Promise<Work> {
    const due = await this.database.systemRead<TenantFacts>(statement(DUE, [this.clock.now().toISOString()]));
    for (const tenant of due) await runAsSystem(tenant, 'tenant closing', uuidv7(), () => this.life.end());
    return due.length === BATCH ? 'full' : 'none';
  }
}
