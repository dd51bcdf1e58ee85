import type { Transaction } from '#libs/database/transaction.js';
import { toListRequest } from '#libs/resource/lists/list-query.js';
import { type Page, ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { recordList } from './timeline.dto.js';
import type { TimelineRow } from './timeline.entity.js';

/** Rows of timelines. */
export abstract class TimelineRepository<R extends TimelineRow> extends ResourceRepository<R> {
  /** A page of one record's rows. */
  ofRecord(recordId: string, query: Record<string, unknown>): Promise<Page<R>> {
    const request = toListRequest(recordList, query);
    request.filters.push({ field: 'recordId', operator: 'eq', value: recordId });
    return this.page(request, recordList);
  }

  /** The row with an id of a record, locked until the transaction ends; null if there is none. */
  lockOf(transaction: Transaction, recordId: string, id: string): Promise<R | null> {
    return this.lock(transaction, id, (add) => `t.record_id = ${add(recordId)}`);
  }
}
