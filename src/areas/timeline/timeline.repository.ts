import type { Transaction } from '#libs/database/transaction.js';
import { toListRequest } from '#libs/resource/lists/list-query.js';
import { type Page, ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { recordList } from './timeline.dto.js';
import type { TimelineRow } from './timeline.entity.js';

/** Rows that hang on records. */
export abstract class TimelineRepository<R extends TimelineRow> extends ResourceRepository<R> {
  /** A page of what hangs on one record. */
  ofRecord(recordId: string, query: Record<string, unknown>): Promise<Page<R>> {
    const request = toListRequest(recordList, query);
    request.filters.push({ field: 'recordId', operator: 'eq', value: recordId });
    return this.page(request, recordList);
  }

  /** The row with an id that hangs on a record, locked until the transaction ends; null when there is none. */
  lockOf(transaction: Transaction, recordId: string, id: string): Promise<R | null> {
    return this.lock(transaction, id, (add) => `t.record_id = ${add(recordId)}`);
  }
}
