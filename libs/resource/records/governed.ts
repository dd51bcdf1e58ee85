import type { Guard } from '#libs/access/guard.js';
import type { VersionedRow } from '#libs/database/tenant-row.js';
import type { Transaction } from '#libs/database/transaction.js';
import { fieldsOf } from '#libs/http/field.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { GovernedDefinition } from '../types/governed-type.js';
import { type Merge, withSurvivor } from './merge.js';
import { type ChangeNotes, type ObjectChange, ObjectChanges } from './object-changes.js';
import type { ResourceKit } from '../resource-kit.js';
import type { ResourceRepository } from '../lists/resource.repository.js';
import { translateUnique } from './unique.js';

/** Columns that {@link GovernedObjects} fills. */
type Envelope = keyof VersionedRow;

/** Objects of one governed type, such as secrets: rows with versions, whose changes are recorded. */
export class GovernedObjects<R extends VersionedRow & { name?: string }> {
  private readonly changes: ObjectChanges<R>;
  private readonly told: readonly string[];

  constructor(
    readonly definition: GovernedDefinition<R>,
    private readonly kit: ResourceKit,
    readonly rows: ResourceRepository<R> = kit.rows(definition.entity),
  ) {
    const { type, risk, path, hasPath, noun } = definition;
    this.told = [...fieldsOf(definition.told).keys()];
    const subjectOf = ({ id, name = noun }: R) => ({ reference: null, url: hasPath ? `${path}/${id}` : path, name });
    this.changes = new ObjectChanges(kit, { type, risk, subjectOf, told: (row) => this.tell(row) }, rows);
    kit.registry.addObject(definition);
    if (definition.names) kit.registry.followMerges((transaction, merge) => this.follow(transaction, merge));
  }

  /** The timestamp of all changes in this request. */
  now(): string {
    return this.kit.now();
  }

  /** One transaction; a violated unique constraint becomes 409 `duplicate`. */
  async unit<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    try {
      return await this.kit.database.transaction(work);
    } catch (error) {
      throw translateUnique(error, this.rows, this.definition.noun);
    }
  }

  /** Locks the row with an id and checks its `If-Match`. @throws Problem 404, 412. */
  lock(transaction: Transaction, id: string, guard: Guard | null = null): Promise<R> {
    return this.changes.lock(transaction, id, undefined, { guard });
  }

  /** Adds an object with a given or new id; returns its row. */
  add(
    transaction: Transaction,
    { id = uuidv7(), ...own }: Omit<R, Envelope> & { id?: string },
    event = 'created',
    notes: ChangeNotes = {},
  ): R {
    const at = this.now();
    const envelope = { tenantId: currentTenant().id, id, version: 1, createdAt: at, updatedAt: at };
    const after = { ...this.rows.blank(), ...own, ...envelope }; // exactly the columns of R
    this.changes.record(transaction, { ...notes, event, before: null, after, save: this.rows.insert(after) });
    return after;
  }

  /** Changes a locked object if a value differs; returns its row. */
  change(transaction: Transaction, before: R, changes: Partial<R>, event = 'updated', notes: ChangeNotes = {}): R {
    if (Object.keys(this.changes.differing(before, changes)).length === 0) return before;
    const after = this.changes.next(before, changes);
    this.changes.record(transaction, { ...notes, event, before, after, save: this.rows.replace(after) });
    return after;
  }

  /** Permanently deletes a locked object. */
  remove(transaction: Transaction, before: R, event = 'deleted', notes: ChangeNotes = {}): void {
    const after = { ...before, updatedAt: this.now() };
    this.changes.record(transaction, { ...notes, event, before, after, save: this.rows.remove(before.id) });
  }

  /** Writes a custom change. */
  record(transaction: Transaction, change: ObjectChange<R>): void {
    this.changes.record(transaction, change);
  }

  /** Lets the fields that name a merged record name the one that remains. */
  private async follow(transaction: Transaction, merge: Merge): Promise<void> {
    for (const [field, event] of Object.entries(this.definition.names!)) {
      const naming: Guard = (add) => `position(${add(merge.from)} in t.${field}::text) > 0`; // the columns have the names of the fields
      for (const row of await this.rows.lockAll(transaction, naming))
        this.change(transaction, row, { [field]: withSurvivor(row[field as keyof R], merge) } as Partial<R>, event);
    }
  }

  /** An object as it appears in events and audit entries. */
  tell(row: R): Record<string, unknown> {
    const shown = new Map<string, unknown>(Object.entries({ object: this.definition.type, ...row }));
    return Object.fromEntries(this.told.map((field) => [field, shown.get(field) ?? null]));
  }
}
