import { isDeepStrictEqual } from 'node:util';
import type { Guard } from '#libs/access/guard.js';
import type { RiskLevel } from '#libs/audit/audit-entry.js';
import type { Statement } from '#libs/database/statement.js';
import type { VersionedRow } from '#libs/database/tenant-row.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { checkPrecondition } from './precondition.js';
import type { ResourceKit } from '../resource-kit.js';
import type { ResourceRepository } from '../lists/resource.repository.js';
import type { Marks } from '../lists/table.js';

/** What audit entries and events say about objects of a type. */
export interface ObjectFacts<R> {
  /** Type key, also the beginning of its event types. */
  type: string;
  risk: RiskLevel;
  subjectOf(row: R): { reference: string | null; url: string; name: string };
  /** What they hold of a row. */
  told(row: R): object;
}

/** What is to be said of a change besides the change. */
export interface ChangeNotes {
  riskLevel?: RiskLevel | undefined;
  /** Fields that changed and whose values the audit log may not hold. */
  concealed?: readonly string[];
  reason?: string | null;
  /** Instant of the change, if the object keeps its stamp. */
  at?: string;
  /** Path and name where they are those of something else. */
  subject?: { url?: string; name?: string };
  /** Id of the record that the object hangs on or is about. */
  about?: string | null;
}

/** A change that is to be written. */
export interface ObjectChange<R> extends ChangeNotes {
  /** Verb of the event. */
  event: string;
  /** Null for a new object, and where nothing may be told of what was before. */
  before: R | null;
  after: R;
  save: Statement;
}

/**
 * The one way by which objects of a tenant change: under a lock, against `If-Match`, with a new version and stamp, and each
 * change with its audit entry and event.
 */
export class ObjectChanges<R extends VersionedRow> {
  constructor(
    private readonly kit: ResourceKit,
    private readonly facts: ObjectFacts<R>,
    private readonly repository: ResourceRepository<R>,
  ) {}

  /** The instant that everything this request changes is stamped with. */
  now(): string {
    return this.kit.now();
  }

  /** The row with an id, locked, its `If-Match` checked. @throws Problem 404 when there is none that `isThere`, 412. */
  async lock(
    transaction: Transaction,
    id: string,
    isThere: (row: R) => boolean = () => true,
    { guard = null, marks = null }: { guard?: Guard | null; marks?: Marks | null } = {},
  ): Promise<R> {
    const row = await this.repository.lock(transaction, id, guard, marks);
    if (!row || !isThere(row)) throw Problem.notFound();
    checkPrecondition(row.version);
    return row;
  }

  /** What of some values differs from a row. */
  differing(row: R, values: Partial<R>): Partial<R> {
    const differing = Object.entries(values).filter(([field, value]) => !same(row[field as keyof R], value));
    return Object.fromEntries(differing) as Partial<R>;
  }

  /** A row with changes, as its next version. */
  next(row: R, changes: Partial<R>): R {
    return { ...row, ...changes, version: row.version + 1, updatedAt: this.now() };
  }

  /** Writes a change with its audit entry and event. */
  record(transaction: Pick<Transaction, 'write'>, change: ObjectChange<R>): void {
    const { event, before, after, save, subject, about = null } = change;
    const { riskLevel = this.facts.risk, concealed = [], reason = null, at = after.updatedAt } = change;
    const { type } = this.facts;
    const { id, version } = after;
    this.kit.commits.add(transaction, {
      save,
      event: `${type}.${event}`,
      subject: { type, id, version, ...this.facts.subjectOf(after), ...subject },
      about,
      before: before && this.facts.told(before),
      after: this.facts.told(after),
      at,
      riskLevel,
      concealed,
      reason,
    });
  }
}

function same(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === 'object' && typeof b === 'object' && isDeepStrictEqual(a, b)); // jsonb orders members
}
