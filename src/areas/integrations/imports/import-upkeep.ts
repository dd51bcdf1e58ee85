import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { FileContents } from '#libs/files/file-contents.js';
import { Clock } from '#libs/kernel/clock.js';
import { TenantFactsReader } from '#libs/worker/tenant-facts.js';
import { TenantUpkeep } from '#libs/worker/tenant-upkeep.js';
import { ImportRecords } from './import-records.js';
import { imports, WORKING } from './import.js';

const EVERY_MS = 10 * 60_000;

/** Removes imports that have expired, with their rows. */
@Injectable()
export class ImportUpkeep extends TenantUpkeep {
  readonly onBehalf = { of: 'platform', because: 'upkeep' } as const;

  constructor(
    private readonly records: ImportRecords,
    private readonly contents: FileContents,
    private readonly database: Database,
    private readonly clock: Clock,
    tenants: TenantFactsReader,
  ) {
    super('Expiry of imports', EVERY_MS, 'imports', tenants);
  }

  protected async keepUp(): Promise<void> {
    const now = this.clock.now().toISOString();
    await this.database.transaction(async (transaction) => {
      const { objects } = this.records;
      const due = await objects.rows.lockAll(
        transaction,
        (add) => `t.expires_at <= ${add(now)} and not t.status = any(${add([...WORKING])})`,
      );
      for (const row of due) {
        this.contents.release(transaction, { object: imports.type, id: row.id });
        objects.remove(transaction, row);
      }
    });
  }
}
