import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { TenantFactsReader } from '#libs/worker/tenant-facts.js';
import { TenantUpkeep } from '#libs/worker/tenant-upkeep.js';
import { ReportRuns } from './report-runs.js';

const EVERY_MS = 6 * 3_600_000;

/** Deletes expired runs of reports with their rows. */
@Injectable()
export class ReportRunUpkeep extends TenantUpkeep {
  readonly onBehalf = { of: 'platform', because: 'upkeep' } as const;

  constructor(
    private readonly runs: ReportRuns,
    private readonly database: Database,
    tenants: TenantFactsReader,
  ) {
    super('Expiry of report runs', EVERY_MS, 'reports', tenants);
  }

  protected async keepUp(): Promise<void> {
    await this.database.aside([this.runs.forgetExpired()]);
  }
}
