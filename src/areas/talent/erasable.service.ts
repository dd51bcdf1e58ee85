import type { Transaction } from '#libs/database/transaction.js';
import type { RecordView } from '#libs/resource/record.dto.js';
import type { RecordRow } from '#libs/resource/record.entity.js';
import { ResourceService } from '#libs/resource/resource.service.js';
import { currentScope } from '#libs/tenancy/scope.js';

/** What an erased record has in the place of fields that its tenant made up. */
export const ERASED_ENVELOPE = { tags: [], customFields: {}, externalRefs: [] };

/** Records that say something about a person, who may have it erased. */
export abstract class ErasableService<
  R extends RecordRow,
  V extends RecordView,
  A extends string,
> extends ResourceService<R, V, A> {
  /** Overwrites fields of a locked row. Neither the event nor the audit entry holds what stood there. */
  protected erase(transaction: Transaction, row: R, changes: Partial<R>, event = 'updated'): V {
    const erased: Partial<RecordRow> = {
      ...ERASED_ENVELOPE,
      version: row.version + 1,
      updatedAt: this.now(),
      updatedBy: currentScope().actor,
    };
    const after: R = { ...row, ...erased, ...changes };
    this.record(transaction, { event, row: after, save: this.repository.replace(after), riskLevel: 'high' });
    return this.showToCaller(after);
  }

  /** Erases fields of several records as a consequence of another change. */
  protected async eraseAll(ids: readonly string[], changes: (row: R) => Partial<R>): Promise<void> {
    await this.unit(async (transaction) => {
      for (const id of ids) {
        const row = await this.repository.lock(transaction, id);
        if (row) this.erase(transaction, row, changes(row));
      }
    });
  }
}
