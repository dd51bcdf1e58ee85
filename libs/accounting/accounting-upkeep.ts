import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { HOURS_KEPT_DAYS, RequestRollup } from './request-rollup.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { runAsSystem } from '#libs/tenancy/scope.js';
import type { Work } from '#libs/worker/loop.js';
import { TenantFactsReader } from '#libs/worker/tenant-facts.js';
import { Upkeep } from '#libs/worker/upkeep.js';

const EVERY_MS = 3_600_000;
const FORGET_COVERAGE = `delete from directory.process_coverage where to_at < now() - interval '${HOURS_KEPT_DAYS} days'`;

/** Rolls up request statistics, tenant by tenant. */
@Injectable()
export class AccountingUpkeep extends Upkeep {
  private closing = false;

  constructor(
    private readonly rollup: RequestRollup,
    private readonly tenants: TenantFactsReader,
    private readonly database: Database,
  ) {
    super('The roll-up of request figures', EVERY_MS);
  }

  override stop(): Promise<void> {
    this.closing = true;
    return super.stop();
  }

  /** Rolls up the due statistics of all tenants. */
  async sweep(): Promise<Work> {
    await this.database.system([statement(FORGET_COVERAGE)]);
    for await (const tenant of this.tenants.all()) {
      if (this.closing) break;
      await runAsSystem(tenant, 'accounting', uuidv7(), () => this.rollup.rollUp(tenant.id));
    }
    return 'none';
  }
}
