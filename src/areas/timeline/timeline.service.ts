import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import type { ModelClass } from '#libs/http/field.js';
import { answerExample } from '#libs/http/openapi/examples.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import { storableText } from '#libs/kernel/storable.js';
import { lockDeletions, refuseHeld } from '#libs/resource/retention/holds.js';
import { checkPrecondition } from '#libs/resource/records/precondition.js';
import { partOf } from '#libs/resource/resource-registry.js';
import type { Deleted } from '#libs/resource/types/record.dto.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import type { Place } from '#libs/resource/access/record-subjects.js';
import type { TimelineKit } from './timeline-kit.js';
import type { RecordSubject } from '#libs/resource/access/record-subjects.js';
import type { TimelineView } from './timeline.dto.js';
import type { TimelineRow } from './timeline.entity.js';
import type { TimelineRepository } from './timeline.repository.js';

/** A kind of timeline object. */
export interface TimelineKind {
  /** Type key, e.g. `core.comment`; also the prefix of its event types. */
  type: string;
  noun: string;
  /** Last part of the path of its collection. */
  collection: string;
  view: ModelClass;
  /** Descriptions of its events, by verb. */
  events: Record<string, string>;
}

/** Example deal. */
const DEAL = { object: 'sales.deal', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20' };

/** A change of one timeline object. */
interface TimelineChange<R> {
  event: 'created' | 'updated' | 'deleted';
  before: R | null;
  after: R;
  save: Statement;
}

/** Common behaviour of comments, attachments, links and watchers, which belong to a record that the caller can see. */
export abstract class TimelineService<R extends TimelineRow, V extends TimelineView> {
  constructor(
    private readonly kind: TimelineKind,
    protected readonly kit: TimelineKit,
    protected readonly repository: TimelineRepository<R>,
  ) {
    const { type, view: told, collection, events } = kind;
    kit.resources.registry.declareObject({
      type,
      told,
      events,
      example: { ...answerExample(told), object: type, record: DEAL },
      path: `/api/v1/sales/deals/${DEAL.id}/${collection}`,
      hasPath: false,
    });
    kit.resources.registry.addPart(partOf(type, repository.tableName, { type: 't.object', id: 't.record_id' }));
  }

  /** The representation of a row in the API. */
  protected abstract present(row: R): V;

  /** @throws Problem 404 for a record that the caller cannot see. */
  async list(place: Place, query: Record<string, unknown>): Promise<Page<V>> {
    const subject = await this.kit.subjects.at(place);
    const { data, page } = await this.repository.ofRecord(subject.id, query);
    return { data: data.map((row) => this.present(row)), page };
  }

  /** The common columns of a new row. */
  protected stamp(subject: RecordSubject): TimelineRow {
    return {
      tenantId: currentTenant().id,
      id: uuidv7(),
      object: subject.object,
      recordId: subject.id,
      version: 1,
      createdAt: this.kit.now(),
      createdBy: currentScope().actor,
    };
  }

  protected unit<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.kit.unit(this.kind.noun, work);
  }

  /** Locks the row with an id and checks `If-Match`. @throws Problem 404, 412. */
  protected async lock(transaction: Transaction, subject: RecordSubject, id: string): Promise<R> {
    const row = await this.repository.lockOf(transaction, subject.id, id);
    if (!row) throw Problem.notFound();
    checkPrecondition(row.version);
    return row;
  }

  /** Adds a new row with its audit entry and event. */
  protected add(transaction: Transaction, subject: RecordSubject, row: R): V {
    this.record(transaction, subject, {
      event: 'created',
      before: null,
      after: row,
      save: this.repository.insert(row),
    });
    return this.present(row);
  }

  /** Fails the transaction with 423 `legal_hold` if a hold covers the record. */
  protected refuseHeld(transaction: Transaction, { object, id }: Pick<RecordSubject, 'object' | 'id'>): void {
    const { table } = this.kit.resources.registry.ofType(object)!.service;
    transaction.write(lockDeletions());
    transaction.write(refuseHeld(table, object, id));
  }

  /** Removes a locked row by `save`, with its audit entry and event. */
  protected erase(transaction: Transaction, subject: RecordSubject, row: R, save: Statement): Deleted {
    this.record(transaction, subject, { event: 'deleted', before: row, after: row, save });
    return { id: row.id, object: this.kind.type, deleted: true, deletedAt: this.kit.now() };
  }

  /** Writes a change with its audit entry and event. */
  protected record(transaction: Transaction, subject: RecordSubject, change: TimelineChange<R>): void {
    const { type, noun, collection } = this.kind;
    const { event, before, after, save } = change;
    const { id, version } = after;
    this.kit.resources.commits.add(transaction, {
      save,
      event: `${type}.${event}`,
      subject: {
        type,
        id,
        reference: null,
        version,
        url: `${subject.url}/${collection}`,
        name: storableText(`${noun} of ${subject.name}`, 200),
      },
      about: subject.id,
      before: before && this.present(before),
      after: this.present(after),
      at: this.kit.now(),
      riskLevel: 'low',
    });
  }

  /** The common fields of a view. */
  protected base({ id, object, recordId, version, createdAt, createdBy }: R): TimelineView {
    return { id, object: this.kind.type, record: { object, id: recordId }, version, createdAt, createdBy };
  }
}
