import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import { Notifier } from '#libs/notifications/notifier.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { type ImportRun, imports } from './import.js';

/** Tells whoever requested an import what has become of it. */
@Injectable()
export class ImportNotices {
  constructor(
    private readonly notifier: Notifier,
    private readonly kit: ResourceKit,
  ) {}

  validated(transaction: Transaction, row: ImportRun): Promise<void> {
    const { validRows, invalidRows } = row.results;
    return this.tell(transaction, row, 'is checked', `${validRows} rows can be imported, ${invalidRows} cannot.`);
  }

  completed(transaction: Transaction, row: ImportRun): Promise<void> {
    const { created, updated, failed } = row.results;
    const body = `${created} records were created and ${updated} updated; ${failed} rows were refused.`;
    return this.tell(transaction, row, 'is done', body);
  }

  rolledBack(transaction: Transaction, row: ImportRun): Promise<void> {
    const { rolledBack, kept } = row.results;
    return this.tell(transaction, row, 'is rolled back', `${rolledBack} records were taken back; ${kept} stay.`);
  }

  failed(transaction: Transaction, row: ImportRun): Promise<void> {
    return this.tell(transaction, row, 'failed', row.error!.message);
  }

  private async tell(transaction: Transaction, row: ImportRun, what: string, body: string): Promise<void> {
    const { id, recordType, requesterId } = row;
    const name = this.kit.registry.ofType(recordType)?.definition.collection.replaceAll('-', ' ') ?? recordType;
    const title = `The import of ${name} ${what}`;
    const subject = { object: imports.type, id };
    const notice = { kind: 'import', subject, title, body, url: `${imports.path}/${id}` } as const;
    await this.notifier.tell(transaction, notice, [requesterId]);
  }
}
