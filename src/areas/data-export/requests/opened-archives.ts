import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { OpenedLinks } from '#libs/http/files/opened-links.js';
import { exportRequests } from './export-request.js';
import { ExportRequestRecords } from './export-request-records.js';

/** Records that an archive is downloaded, before its first byte is sent. */
@Injectable()
export class OpenedArchives implements OnModuleInit {
  constructor(
    private readonly opened: OpenedLinks,
    private readonly records: ExportRequestRecords,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.opened.tell(exportRequests.type, (id) => this.note(id));
  }

  private note(id: string): Promise<void> {
    return this.database.transaction(async (transaction) => {
      const { objects } = this.records;
      const row = await objects.rows.lock(transaction, id);
      if (!row) return;
      const after = { ...row, version: row.version + 1, updatedAt: objects.now() };
      objects.record(transaction, { event: 'downloaded', before: row, after, save: objects.rows.replace(after) });
    });
  }
}
