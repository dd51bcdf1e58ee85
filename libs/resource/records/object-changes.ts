import { isDeepStrictEqual } from 'node:util';
import type { Guard } from '#libs/access/guard.js';
import type { RiskLevel } from '#libs/audit/audit-entry.js';
import type { Statement } from '#libs/database/statement.js';
import type { VersionedRow } from '#libs/database/tenant-row.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { nextVersion } from './next-version.js';
import { checkPrecondition } from './precondition.js';
import type { ResourceKit } from '../resource-kit.js';
import type { ResourceRepository } from '../lists/resource.repository.js';
import type { Marks } from '../lists/table.js';

/** What audit entries and events contain about objects of a type. */
export interface ObjectFacts<R> {
  /** Type key; also the prefix of its event types. */
  type: string;
  risk: RiskLevel;
  subjectOf(row: R): { reference: string | null; url: string; name: string };
  /** The logged form of a row. */
  told(row: R): object;
}

/** Options of a change. */
export interface ChangeNotes {
  riskLevel?: RiskLevel | undefined;
  /** Changed fields whose values must not appear in the audit log. */
  concealed?: readonly string[];
  reason?: string | null;
  /** Timestamp of the change, if the object has a separate one. */
  at?: string;
  /** Path and name, if the event refers to another object. */
  subject?: { url?: string; name?: string };
  /** Id of the parent record. */
  about?: string | null;
}

/** A change to be written. */
export interface ObjectChange<R> extends ChangeNotes {
  /** Verb of the event. */
  event: string;
  /** Null for a new object, or if the previous state must not be disclosed. */
  before: R | null;
  after: R;
  save: Statement;
}

/**
 * How records and governed objects change. The row is locked and checked against
 * `If-Match`, and it gets a new version and timestamp, an audit entry and an event. ADR 40 lists what records its changes
 * with {@link Commits} itself.
 */
export class ObjectChanges<R extends VersionedRow> {
  constructor(
    private readonly kit: ResourceKit,
    private readonly facts: ObjectFacts<R>,
    private readonly repository: ResourceRepository<R>,
  ) {}

  /** The timestamp of all changes in this request. */
  now(): string {
    return this.kit.now();
  }

  /** Locks the row with an id and checks its `If-Match`. @throws Problem 404 if no row satisfies `isThere`, 412. */
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

  /** The values that differ from a row. */
  differing(row: R, values: Partial<R>): Partial<R> {
    const differing = Object.entries(values).filter(([field, value]) => !same(row[field as keyof R], value));
    return Object.fromEntries(differing) as Partial<R>;
  }

  /** The next version of a row, with changes. */
  next(row: R, changes: Partial<R>): R {
    return nextVersion(row, { ...changes, updatedAt: this.now() });
  }

  /** Writes a change with its audit entry and event; returns the id of the event. */
  record(transaction: Pick<Transaction, 'write'>, change: ObjectChange<R>): string {
    const { event, before, after, save, subject, about = null } = change;
    const { riskLevel = this.facts.risk, concealed = [], reason = null, at = after.updatedAt } = change;
    const { type } = this.facts;
    const { id, version } = after;
    return this.kit.commits.add(transaction, {
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
