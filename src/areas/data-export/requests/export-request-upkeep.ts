import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { Clock } from '#libs/kernel/clock.js';
import { TenantFactsReader } from '#libs/worker/tenant-facts.js';
import { TenantUpkeep } from '#libs/worker/tenant-upkeep.js';
import { ArchiveRuns } from '../archive/archive-runs.js';
import { ExportRequestRecords } from './export-request-records.js';

const EVERY_MS = 10 * 60_000;

/** Removes the archives whose time is over. */
@Injectable()
export class ExportRequestUpkeep extends TenantUpkeep {
  readonly onBehalf = { of: 'platform', because: 'upkeep' } as const;

  constructor(
    private readonly records: ExportRequestRecords,
    private readonly runs: ArchiveRuns,
    private readonly database: Database,
    private readonly clock: Clock,
    tenants: TenantFactsReader,
  ) {
    super('Expiry of exports of data', EVERY_MS, 'data exports', tenants);
  }

  protected async keepUp(): Promise<void> {
    const now = this.clock.now().toISOString();
    await this.database.transaction(async (transaction) => {
      const due = await this.records.objects.rows.lockAll(
        transaction,
        (add) => `t.status = 'ready' and t.download_expires_at <= ${add(now)}`,
      );
      for (const row of due) this.runs.removeArchive(transaction, row, 'expired');
    });
  }
}
