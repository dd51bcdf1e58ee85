import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import { etagOf } from '#libs/http/answer-headers.js';
import { attempt } from '#libs/resource/records/attempt.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { RecordService } from '#libs/resource/resource-registry.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { type ImportedRecord, ImportRows } from './import-rows.js';
import type { ImportRun } from './import.js';

/** Records that are taken back in one step. */
const AT_A_TIME = 100;

/** Takes back what an import has done, newest first, with the rights of the caller. */
@Injectable()
export class ImportRollback {
  constructor(
    private readonly rows: ImportRows,
    private readonly kit: ResourceKit,
  ) {}

  /** Takes back the next records. Those that were changed since stay, and those that cannot be taken back. */
  async step(
    transaction: Transaction,
    { id, recordType }: ImportRun,
  ): Promise<{ rolledBack: number; kept: number; isOver: boolean }> {
    const { service, definition } = this.kit.registry.ofType(recordType)!;
    const records = await this.rows.take(transaction, id, AT_A_TIME);
    const canDelete = 'delete' in definition.lifecycle.transitions;
    let rolledBack = 0;
    for (const record of records) {
      if (record.before === null && !canDelete) continue;
      const failure = await attempt(
        transaction,
        (error) => service.translate(error),
        () => takeBack(service, record),
      );
      if (failure === null) rolledBack++;
    }
    return { rolledBack, kept: records.length - rolledBack, isOver: records.length < AT_A_TIME };
  }
}

/** @throws Problem if the record was changed since, is gone, or cannot be changed. */
async function takeBack(service: RecordService, { recordId, version, before }: ImportedRecord): Promise<void> {
  const scope = currentScope();
  scope.ifMatch = etagOf(version);
  try {
    await (before === null ? service.act('delete', recordId, {}) : service.update(recordId, before));
  } finally {
    scope.ifMatch = null;
  }
}
