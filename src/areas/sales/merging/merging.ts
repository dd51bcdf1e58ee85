import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { mergedRefs } from '#libs/resource/records/carrying.js';
import { moveReferences } from '#libs/resource/records/merged-references.js';
import { CHECK_NOW } from '#libs/resource/records/rehearsal.js';
import { fieldReferrer, type Referrer, type ReferringService } from '#libs/resource/records/referrer.js';
import type { RecordView } from '#libs/resource/types/record.dto.js';
import type { RecordRow } from '#libs/resource/types/record.entity.js';
import type { Records } from '#libs/resource/records/records.js';
import { lockWhole } from './merging.queries.js';

const DEFER = statement('set constraints all deferred');

/** A record that may have been merged; `mergedIntoId` is the surviving record. */
export interface MergeableRow extends RecordRow {
  mergedIntoId: string | null;
}

/** Type-specific behaviour of merges. */
export interface MergeDecisions<R extends MergeableRow> {
  /** What the surviving record inherits besides ids in other systems: identifiers, and stricter restrictions. */
  takenOver(into: R, from: R): Partial<R>;
  /** Runs before references to the merged record are moved: refuses what cannot be merged. */
  beforeMove?(from: R, into: R): Promise<void>;
}

/**
 * Merges a duplicate record into another one, which inherits all references. All code that references such records must
 * register; otherwise its references would remain on the merged record. The type declares the event `merged`.
 */
export class Merging<R extends MergeableRow, V extends RecordView, A extends string> {
  private readonly referrers: Referrer[] = [];

  constructor(
    private readonly records: Records<R, V, A>,
    private readonly decisions: MergeDecisions<R>,
  ) {}

  private get noun(): string {
    return this.records.definition.noun;
  }

  /** Registers a field of other records that references these records. */
  referredBy(service: ReferringService, field: string): void;
  /** Registers other kinds of references to these records. */
  referredBy(referrer: Referrer): void;
  referredBy(from: ReferringService | Referrer, field?: string): void {
    this.referrers.push(field === undefined ? (from as Referrer) : fieldReferrer(from as ReferringService, field));
  }

  /**
   * Merges a record into another one: references and identifiers move, and the record is archived permanently. Both are
   * locked in the order of their ids, so the second of two concurrent merges sees the result of the first.
   * @throws Problem 400 for an unknown target, 403 if the caller would get a right on the other record, 404, 409
   *   `record_locked` when one of them is archived or merged.
   */
  async merge(id: string, { intoId }: { intoId: string }): Promise<V> {
    if (intoId === id) throw intoFault('invalid_value', `The ${this.noun} cannot be merged into itself.`);
    const { records } = this;
    const { rows, rules } = records;
    return records.unit(async (transaction) => {
      await transaction.query(lockWhole(records.table, [id, intoId]));
      const row = await rows.lock(transaction, id);
      const into = await records.find(intoId);
      rules.refuseLocked(row);
      if (!into) throw intoFault('unknown_reference', `There is no such ${this.noun} to merge into.`);
      rules.rights.require(into, records.definition.permissions.write);
      rules.refuseLocked(into);
      await this.decisions.beforeMove?.(row, into);
      await this.move(transaction, id, intoId);
      const refs = mergedRefs(into, row);
      const changes = { archivedAt: rows.now(), mergedIntoId: intoId, externalRefs: refs.from } as Partial<R>;
      const merged = await rows.apply(transaction, row, changes, 'merged', { riskLevel: 'medium' });
      const view = rules.show(merged);
      await records.amend(intoId, (left) => ({ ...this.decisions.takenOver(left, row), externalRefs: refs.into }));
      rows.expectNoGain(transaction, into);
      return view;
    });
  }

  /** The record with an id, or the record it was merged into; null if none is visible to the caller. */
  async survivor(id: string): Promise<R | null> {
    const row = await this.records.find(id);
    return row?.mergedIntoId ? this.survivor(row.mergedIntoId) : row;
  }

  /** @throws Problem 409 for an action that a merge or a reference prevents. The record must be locked. */
  async refuseImpossible(transaction: Transaction, row: R, action: A): Promise<void> {
    if (action === 'unarchive' && row.mergedIntoId !== null)
      throw new Problem('record_locked', `The ${this.noun} was merged into another one.`);
    if (action === 'delete') await this.refuseUsed(transaction, row);
  }

  /** Constraints are deferred until all references have moved. */
  private async move(transaction: Transaction, from: string, into: string): Promise<void> {
    transaction.write(DEFER);
    for (const referrer of this.referrers) await referrer.move(from, into);
    const { kit, definition } = this.records;
    await moveReferences(kit, transaction, { object: definition.type, from, into });
    await transaction.query(CHECK_NOW);
  }

  /** @throws Problem 409 `in_use` if the record is referenced. */
  private async refuseUsed(transaction: Transaction, { id }: R): Promise<void> {
    await transaction.query(lockWhole(this.records.table, [id]));
    const users = new Set<string>();
    for (const { noun, isUsed } of this.referrers) if (await isUsed(id)) users.add(noun);
    if (users.size > 0) throw new Problem('in_use', `The ${this.noun} is in use by ${[...users].join(', ')}.`);
  }
}

function intoFault(code: string, detail: string): Problem {
  return Problem.validation([{ pointer: '/intoId', code, detail }]);
}
