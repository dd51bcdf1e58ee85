import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { FileContents } from '#libs/files/file-contents.js';
import { Clock } from '#libs/kernel/clock.js';
import { TenantFactsReader } from '#libs/worker/tenant-facts.js';
import { TenantUpkeep } from '#libs/worker/tenant-upkeep.js';
import { exportJobs } from './export-job.js';
import { ExportParts } from './export-parts.js';
import { ExportRecords } from './export-records.js';

const EVERY_MS = 10 * 60_000;

/** Removes the files of exports that have expired. */
@Injectable()
export class ExportUpkeep extends TenantUpkeep {
  readonly onBehalf = { of: 'platform', because: 'upkeep' } as const;

  constructor(
    private readonly records: ExportRecords,
    private readonly parts: ExportParts,
    private readonly contents: FileContents,
    private readonly database: Database,
    private readonly clock: Clock,
    tenants: TenantFactsReader,
  ) {
    super('Expiry of exports', EVERY_MS, 'exports', tenants);
  }

  protected async keepUp(): Promise<void> {
    const now = this.clock.now().toISOString();
    await this.database.transaction(async (transaction) => {
      const { objects } = this.records;
      const due = await objects.rows.lockAll(
        transaction,
        (add) => `t.status = 'ready' and t.expires_at <= ${add(now)}`,
      );
      for (const row of due) {
        this.contents.release(transaction, { object: exportJobs.type, id: row.id });
        this.parts.forget(transaction, row.id);
        objects.change(transaction, row, { status: 'expired', contentId: null, url: null }, 'expired');
      }
    });
  }
}
