import { every, type Guard } from '#libs/access/guard.js';
import { breaksConstraint, brokenReference } from '#libs/database/failures.js';
import type { VersionedRow } from '#libs/database/tenant-row.js';
import type { Transaction } from '#libs/database/transaction.js';
import { fieldsOf } from '#libs/http/field.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { invalidTransition } from '#libs/kernel/lifecycle.js';
import { Problem } from '#libs/kernel/problem.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { toListRequest } from '../lists/list-query.js';
import { byName } from '../lists/named-list.js';
import { pageOfAll } from '../lists/page-of-all.js';
import type { PageQuery } from '../lists/page-query.js';
import type { Page, ResourceRepository } from '../lists/resource.repository.js';
import type { ResourceKit } from '../resource-kit.js';
import type { GovernedDefinition, ShownObject } from '../types/governed-type.js';
import type { Deleted } from '../types/record.dto.js';
import { type Merge, withSurvivor } from './merge.js';
import { type ChangeNotes, type ObjectChange, ObjectChanges } from './object-changes.js';
import { translateUnique } from './unique.js';

/** Columns that {@link GovernedObjects} fills. */
type Envelope = keyof VersionedRow;
type Named = VersionedRow & { name?: string };

/** The columns of a new object, with its id if that is given. */
export type NewObject<R extends VersionedRow> = Omit<R, Envelope> & { id?: string };

/** What a verb adds to a change: another verb of the event, notes, and statements that belong to it. */
export interface ChangeOptions<R> extends ChangeNotes {
  event?: string;
  /** Writes what depends on the changed row. */
  saved?(transaction: Transaction, after: R, before: R | null): void | Promise<void>;
}

/** The decisions of a type about its objects. All are optional. */
export interface ObjectDecisions<R, V> {
  /** Objects as the API shows them, all of a page at once; by default their columns. */
  show?(rows: readonly R[]): V[] | Promise<V[]>;
  /** Computed fields that events and audit entries contain too; every locked row gets them. */
  derive?(row: R): Partial<R> | Promise<Partial<R>>;
  /** Limits the objects that the caller may see; null for all. */
  visible?(): Guard | null;
  /** Decides whether the caller may change an object that they see. @throws Problem 403. */
  mayChange?(row: R): void | Promise<void>;
  /** The state of an object of a type with actions. */
  stateOf?(row: R): string;
  /** Problems for the constraints that a caller can violate, by constraint name. */
  readonly constraints?: Record<string, () => Problem>;
}

const LIVING: Guard = () => 't.deleted_at is null';

/**
 * Objects of one governed type, such as secrets: rows with versions, whose changes are recorded. The verbs `list`,
 * `get`, `create`, `update`, `act` and `delete` serve a request of a caller, each write in one transaction. `lock`,
 * `add`, `change` and `remove` are their steps, for services that change more than one object in a transaction.
 */
export class GovernedObjects<R extends Named, V = ShownObject<R>> {
  private readonly changes: ObjectChanges<R>;
  private readonly told: readonly string[];

  constructor(
    readonly definition: GovernedDefinition<R>,
    private readonly kit: ResourceKit,
    private readonly decisions: ObjectDecisions<R, V> = {},
    readonly rows: ResourceRepository<R> = kit.rows(definition.entity),
  ) {
    const { type, risk, path, hasPath, noun } = definition;
    this.told = [...fieldsOf(definition.told).keys()];
    const subjectOf = ({ id, name = noun }: R) => ({ reference: null, url: hasPath ? `${path}/${id}` : path, name });
    this.changes = new ObjectChanges(kit, { type, risk, subjectOf, told: (row) => this.tell(row) }, rows);
    kit.registry.addObject(definition);
    if (definition.names) kit.registry.followMerges((transaction, merge) => this.follow(transaction, merge));
  }

  /** A page of the objects that the caller may see, with the declared filters and sorts. */
  async list(query: object, within = this.visible()): Promise<Page<V>> {
    const list = this.definition.list!; // declared, if this is called
    const request = toListRequest(list, { ...query }, this.now());
    const { data, page } = await this.rows.page(request, list, within);
    return { data: await this.showAll(data), page };
  }

  /** The same for a type with few objects and names: all are read, `keeps` filters them. */
  async shortList(query: PageQuery, keeps: (row: R) => boolean = () => true): Promise<Page<V>> {
    const all = (await this.rows.all(this.visible())) as (R & { name: string })[];
    const found = byName(all, query).filter(keeps);
    const { data, page } = pageOfAll(found, query, this.kit.cursors, [this.definition.type]);
    return { data: await this.showAll(data), page };
  }

  /** @throws Problem 404. */
  async get(id: string): Promise<V> {
    return this.show(await this.read(id));
  }

  /** The row with an id that the caller may see. @throws Problem 404. */
  async read(id: string): Promise<R> {
    const row = await this.rows.find(id, this.visible());
    if (!row) throw Problem.notFound();
    return row;
  }

  /** Adds what `decide` returns. @throws Problem 409 `limit_reached`, `duplicate`. */
  create(
    decide: (transaction: Transaction) => NewObject<R> | Promise<NewObject<R>>,
    options: ChangeOptions<R> = {},
  ): Promise<V> {
    return this.unit(async (transaction) => {
      const own = await decide(transaction);
      await this.refuseBeyondLimit();
      const after = this.add(transaction, own, options.event, options);
      await options.saved?.(transaction, after, null);
      return this.show(after);
    });
  }

  /** Changes what `decide` returns; the version stays if nothing differs. @throws Problem 403, 404, 409, 412. */
  update(
    id: string,
    decide: (row: R, transaction: Transaction) => Partial<R> | Promise<Partial<R>>,
    options: ChangeOptions<R> = {},
  ): Promise<V> {
    return this.unit(async (transaction) => {
      const before = await this.lock(transaction, id);
      const after = this.change(transaction, before, await decide(before, transaction), options.event, options);
      await options.saved?.(transaction, after, before);
      return this.show(after);
    });
  }

  /** Takes a declared action. @throws Problem 403, 404, 409 `invalid_transition`, 412. */
  act(
    action: string,
    id: string,
    decide: (row: R, transaction: Transaction) => Partial<R> | Promise<Partial<R>>,
    options: ChangeOptions<R> = {},
  ): Promise<V> {
    const { event } = this.definition.actions![action]!;
    const decided = (row: R, transaction: Transaction) => {
      this.refuseImpossible(row, action);
      return decide(row, transaction);
    };
    return this.update(id, decided, { event, ...options });
  }

  /** Deletes an object. `leave` may refuse, and writes what goes with it. @throws Problem 403, 404, 409, 412. */
  delete(
    id: string,
    leave?: (row: R, transaction: Transaction) => Partial<R> | void | Promise<Partial<R> | void>,
    notes: ChangeNotes = {},
  ): Promise<Deleted> {
    return this.unit(async (transaction) => {
      const before = await this.lock(transaction, id);
      const left = (await leave?.(before, transaction)) ?? {};
      const deletedAt = this.now();
      const gone = { ...left, deletedAt } as unknown as Partial<R>; // a column of types that keep what is deleted
      if (this.definition.keepsDeleted) this.change(transaction, before, gone, 'deleted', notes);
      else this.remove(transaction, before, 'deleted', notes);
      return this.deleted(id, deletedAt);
    });
  }

  /** The answer of a deletion. */
  deleted(id: string, deletedAt = this.now()): Deleted {
    return { id, object: this.definition.type, deleted: true, deletedAt };
  }

  /** The timestamp of all changes in this request. */
  now(): string {
    return this.kit.now();
  }

  /** One transaction; violated constraints and unknown references become problems. */
  async unit<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    try {
      return await this.kit.database.transaction(work);
    } catch (error) {
      const { constraints = {} } = this.decisions;
      const broken = Object.keys(constraints).find((constraint) => breaksConstraint(error, constraint));
      if (broken) throw constraints[broken]!();
      const pointer = brokenReference(error);
      throw pointer === null
        ? translateUnique(error, this.rows, this.definition.noun)
        : Problem.unknownReference(pointer);
    }
  }

  /** Locks a row that the caller may see and change, and checks its `If-Match`. @throws Problem 403, 404, 412. */
  async lock(transaction: Transaction, id: string, guard = this.visible()): Promise<R> {
    const row = await this.changes.lock(transaction, id, undefined, { guard });
    await this.decisions.mayChange?.(row);
    return { ...row, ...(await this.decisions.derive?.(row)) };
  }

  /**
   * @param known the number of objects that count, if the database cannot count them alone
   * @throws Problem 409 `limit_reached` if the tenant can have no more.
   */
  async refuseBeyondLimit(known?: number): Promise<void> {
    const { limit, keepsDeleted } = this.definition;
    if (!limit) return;
    const counted = every(keepsDeleted ? LIVING : null, limit.of ? () => limit.of! : null);
    if ((known ?? (await this.rows.countOf(counted))) >= limit.max) throw new Problem('limit_reached', limit.detail);
  }

  /** @throws Problem 409 `invalid_transition` for an action that the state does not allow. */
  refuseImpossible(row: R, action: string): void {
    const state = this.decisions.stateOf!(row);
    const allowed = Object.entries(this.definition.actions!).filter(([, { from }]) => from.includes(state));
    if (allowed.some(([each]) => each === action)) return;
    throw invalidTransition(
      action,
      { state },
      allowed.map(([each]) => each),
    );
  }

  /** Adds an object with a given or new id; returns its row. */
  add(
    transaction: Transaction,
    { id = uuidv7(), ...own }: NewObject<R>,
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

  /** An object as it appears in events and audit entries. */
  tell(row: R): Record<string, unknown> {
    const shown = new Map<string, unknown>(Object.entries({ object: this.definition.type, ...row }));
    return Object.fromEntries(this.told.map((field) => [field, shown.get(field) ?? null]));
  }

  /** The columns of an object as the API shows them. */
  view(row: R): ShownObject<R> {
    const { tenantId: _, ...shown } = row;
    return { ...shown, object: this.definition.type };
  }

  async show(row: R): Promise<V> {
    return (await this.showAll([row]))[0]!;
  }

  private async showAll(rows: readonly R[]): Promise<V[]> {
    const { decisions } = this;
    if (rows.length === 0) return [];
    return decisions.show ? decisions.show(rows) : (rows.map((row) => this.view(row)) as V[]); // the default of V
  }

  private visible(): Guard | null {
    return every(this.definition.keepsDeleted ? LIVING : null, this.decisions.visible?.() ?? null);
  }

  /** Lets the fields that name a merged record name the one that remains. */
  private async follow(transaction: Transaction, merge: Merge): Promise<void> {
    for (const [field, event] of Object.entries(this.definition.names!)) {
      const naming: Guard = (add) => `position(${add(merge.from)} in t.${field}::text) > 0`; // the columns have the names of the fields
      for (const row of await this.rows.lockAll(transaction, naming))
        this.change(transaction, row, { [field]: withSurvivor(row[field as keyof R], merge) } as Partial<R>, event);
    }
  }
}
