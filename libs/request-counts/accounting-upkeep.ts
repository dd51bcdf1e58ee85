import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { HOURS_KEPT_DAYS, RequestRollup } from './request-rollup.js';
import type { TenantFacts } from '#libs/tenancy/scope.js';
import type { Work } from '#libs/worker/loop.js';
import { TenantFactsReader } from '#libs/worker/tenant-facts.js';
import { TenantUpkeep } from '#libs/worker/tenant-upkeep.js';

const EVERY_MS = 3_600_000;
const FORGET_COVERAGE = `delete from directory.process_coverage where to_at < now() - interval '${HOURS_KEPT_DAYS} days'`;

/** Rolls up request statistics, tenant by tenant. */
@Injectable()
export class AccountingUpkeep extends TenantUpkeep {
  readonly onBehalf = { of: 'platform', because: 'upkeep' } as const;

  constructor(
    private readonly rollup: RequestRollup,
    tenants: TenantFactsReader,
    private readonly database: Database,
  ) {
    super('The roll-up of request figures', EVERY_MS, 'accounting', tenants);
  }

  /** Rolls up the due statistics of all tenants. */
  override async sweep(): Promise<Work> {
    await this.database.system([statement(FORGET_COVERAGE)]);
    return super.sweep();
  }

  protected keepUp({ id }: TenantFacts): Promise<void> {
    return this.rollup.rollUp(id);
  }
}
