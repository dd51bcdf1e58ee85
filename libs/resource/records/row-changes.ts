import { every } from '#libs/access/guard.js';
import { callerOrNull } from '#libs/auth/current-principal.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { fold } from '#libs/kernel/fold.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { numberOf } from '#libs/kernel/number-pattern.js';
import { Problem } from '#libs/kernel/problem.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import type { Change, Input, NumberSource } from '../types/decisions.js';
import { pathOf } from '../types/definition.js';
import { noticesOf } from './change-notices.js';
import { referencePattern } from './number-series.js';
import { ObjectChanges } from './object-changes.js';
import type { RecordView } from '../types/record.dto.js';
import { isSent } from './sent.js';
import { type Draft, ENVELOPE, ERASED_ENVELOPE, type RecordRow } from '../types/record.entity.js';
import { isUnsaid, referenceChecks, visibilityChecks } from '../access/references.js';
import type { ResourceKit } from '../resource-kit.js';
import type { ResourceRepository } from '../lists/resource.repository.js';
import type { Guard } from '../lists/table.js';
import { fileReferences } from '../files/file-references.js';
import { lockDeletions, refuseHeld } from '../retention/holds.js';
import { moveStatement } from './transitions.js';
import { refuseRevaluation } from './revaluation.js';
import type { TypeRules } from './type-rules.js';

/** Symbol for the caller's input of a new row. As a symbol it is never serialized or stored. */
const SAID = Symbol('said');

/** Tells triggers that guard what a row says that its texts may go. */
const ERASING = `select set_config('app.erasing', $1, true)`;

/** Purpose of a lock. */
export interface LockOptions {
  /** Null if the operation depends on the row. */
  permission?: string | null;
  fromTrash?: boolean;
}

/** Why a row changes. */
export interface Why {
  reason?: string | null;
  riskLevel?: 'low' | 'medium' | 'high' | undefined;
  /** The life cycle action; null if there is none or the action does not change the state. */
  move?: string | null;
  /** The body of the request. */
  input?: Input;
}

/** Creates, locks, changes and saves rows of a type. Each change gets its audit entry and event. */
export class RowChanges<R extends RecordRow, V extends RecordView, A extends string = string> {
  private readonly objects: ObjectChanges<R>;

  constructor(
    private readonly kit: ResourceKit,
    private readonly rules: TypeRules<R, V, A>,
    private readonly repository: ResourceRepository<R>,
    private readonly numbers?: NumberSource<R>,
  ) {
    const { definition, presenter } = rules;
    const subjectOf = ({ id, reference, name }: R) => ({ reference, url: `${pathOf(definition)}/${id}`, name });
    const told = (row: R) => presenter.toAnyone(row);
    this.objects = new ObjectChanges(kit, { type: definition.type, risk: 'low', subjectOf, told }, repository);
  }

  /** The timestamp of all changes in this request. */
  now(): string {
    return this.kit.now();
  }

  /** One transaction; violated constraints become problems. `options` are those of the database. */
  async unit<T>(
    work: (transaction: Transaction) => Promise<T>,
    options: { mayShare?: boolean | undefined } = {},
  ): Promise<T> {
    try {
      return await this.kit.database.transaction(work, options);
    } catch (error) {
      throw this.rules.translate(error);
    }
  }

  /**
   * Locks the row with an id, checks its `If-Match`, and checks a permission of the caller, by default the write
   * permission.
   * @throws Problem 404, 403 if the caller sees the row but the permission does not cover it, 412.
   */
  async lock(
    transaction: Transaction,
    id: string,
    { permission = this.rules.definition.permissions.write, fromTrash = false }: LockOptions = {},
  ): Promise<R> {
    const { rights } = this.rules;
    await this.lockBefore(transaction, id);
    const isThere = (row: R): boolean => {
      if (row.deletedAt !== null && !fromTrash) return false;
      if (permission !== null) rights.require(row, permission);
      return true;
    };
    return this.objects.lock(transaction, id, isThere, { guard: this.rules.visible(), marks: rights.marks() });
  }

  /** Like {@link lock}, for consequences of other changes. @throws Problem 404. */
  async lockPlainly(transaction: Transaction, id: string): Promise<R> {
    await this.lockBefore(transaction, id);
    const row = await this.repository.lock(transaction, id);
    if (row?.deletedAt !== null) throw Problem.notFound();
    return row;
  }

  /** Builds a complete new row from a validated create body. */
  async draft(input: Input): Promise<R> {
    const { decisions } = this.rules;
    const own = await this.contentOf(input);
    const { number, reference } = (await this.numbers?.numberOf(own)) ?? (await this.nextNumber());
    const row = this.complete(own, reference, input);
    return decisions.complete ? decisions.complete(row, input, number) : row;
  }

  /** The next number of the type, and the reference formed from it. */
  async nextNumber(): Promise<{ number: number; reference: string }> {
    const { type, prefix } = this.rules.definition;
    const number = await this.kit.numbers.next(type);
    return { number, reference: numberOf(referencePattern(prefix), '', number) };
  }

  /**
   * The content of a create body: the type's own fields and the custom fields. Required custom fields bind a body that
   * was {@link sent}.
   */
  async contentOf(input: Input): Promise<Draft<R> & Pick<R, 'customFields'>> {
    const { type } = this.rules.definition;
    const { customFields: fields } = this.kit;
    const given = input['customFields'] as Input | undefined;
    const customFields = await (isSent(input) ? fields.ofNew(type, given) : fields.ofMade(type, given));
    const own = (await this.rules.decisions.draft?.(input)) ?? (input as unknown as Draft<R>); // validated members are columns
    return { ...own, customFields };
  }

  /** Completes a new row: adds the common fields, partly from the create body, to the type's own fields. */
  complete(own: Draft<R>, reference: string, input: Input = {}): R {
    const at = this.now();
    const stamp = currentScope().actor;
    const { stateField, lifecycle, defaults } = this.rules.definition;
    const { workspaceId = null, ownerId = callerOrNull()?.membershipId ?? null } = input;
    return {
      ...this.repository.blank(),
      ...(stateField ? { [stateField]: lifecycle.initial } : {}),
      ...defaults,
      customFields: {},
      ...own,
      workspaceId,
      ownerId,
      tags: input['tags'] ?? [],
      externalRefs: completeRefs(input['externalRefs']),
      tenantId: currentTenant().id,
      id: uuidv7(),
      reference,
      version: 1,
      createdAt: at,
      updatedAt: at,
      createdBy: stamp,
      updatedBy: stamp,
      archivedAt: null,
      deletedAt: null,
      [SAID]: input,
    }; // Draft<R> plus exactly the kit's columns is R; TypeScript cannot see that for a type parameter
  }

  /** Saves a caller's new row. It must be covered by their permission and refer only to visible records. */
  async add(transaction: Transaction, row: R): Promise<R> {
    await this.rules.decisions.admit?.(transaction, row);
    const { [SAID]: said = {} } = row as R & { [SAID]?: Input };
    if (!isUnsaid(said)) this.expectVisible(transaction, said);
    const { write } = this.rules.definition.permissions;
    const limits = this.rules.rights.limitsOfNew(write);
    const saved = await this.addPlainly(transaction, row);
    if (limits) transaction.write(this.repository.expect(row.id, limits, write));
    return saved;
  }

  /** Like {@link add}, for consequences of other changes. */
  async addPlainly(transaction: Transaction, row: R): Promise<R> {
    const { [SAID]: input = {} } = row as R & { [SAID]?: Input };
    for (const check of this.checksOf(row)) transaction.write(check);
    for (const check of this.rules.decisions.checks?.(row, null) ?? []) transaction.write(check);
    const event = this.insert(transaction, row);
    return this.settle(transaction, { before: null, after: row, event, input });
  }

  /** Writes a new row with its audit entry and event, without the `saved` hook. Returns the verb of the event. */
  insert(transaction: Pick<Transaction, 'write'>, row: R): string {
    const { createdEvent: event = 'created' } = this.rules.definition;
    const save = this.repository.insert(row);
    const eventId = this.objects.record(transaction, { event, before: null, after: row, save });
    for (const each of noticesOf(this.rules.definition, eventId, null, row)) transaction.write(each);
    return event;
  }

  /** The changes that a patch makes to common fields and to the type's own. */
  async edit(row: R, patch: Input): Promise<Partial<R>> {
    const own: Input = { ...patch };
    const shared: Input = {};
    for (const field of ENVELOPE)
      if (field in own) {
        shared[field] = own[field];
        delete own[field];
      }
    const { presenter } = this.rules;
    const { type, update } = this.rules.definition;
    const { customFields, externalRefs } = shared;
    if (customFields)
      shared['customFields'] = await this.kit.customFields.ofChanged(type, row.customFields, customFields as Input);
    if (externalRefs) shared['externalRefs'] = completeRefs(externalRefs);
    const changes = (await this.rules.decisions.edit?.(row, own)) ?? (own as Partial<R>); // validated members are columns
    refuseRevaluation(update, presenter.whole(row), own, currentTenant().currency);
    return { ...(shared as Partial<R>), ...changes };
  }

  /** Saves the changes of a locked row, if any. Returns the row. */
  async apply(transaction: Transaction, row: R, changes: Partial<R>, event: string, why: Why = {}): Promise<R> {
    const changed = this.objects.differing(row, changes);
    if (Object.keys(changed).length === 0) return row;
    const { decisions, presenter } = this.rules;
    const after = this.next(row, changes);
    const verb = event === 'updated' ? this.editEvent(changed) : event;
    for (const check of this.checksOf(changed)) transaction.write(check);
    for (const check of decisions.checks?.(after, row) ?? []) transaction.write(check);
    const concealed = Object.keys(changed).filter((field) => presenter.isRestricted(field));
    const { reason = null, riskLevel, move, input = {} } = why;
    const save = this.repository.replace(after);
    const change = { event: verb, before: row, after, save, concealed, reason, riskLevel };
    const eventId = this.objects.record(transaction, change);
    for (const each of noticesOf(this.rules.definition, eventId, row, after)) transaction.write(each);
    this.expectPlace(transaction, after, changed);
    if (move) transaction.write(this.moved(row, after, move, reason));
    return this.settle(transaction, { before: row, after, event: verb, input });
  }

  /** Verb of the event of an edit. */
  private editEvent(changed: Partial<R>): string {
    const { changeEvents = {} } = this.rules.definition;
    return changeEvents[Object.keys(changeEvents).find((field) => field in changed) ?? ''] ?? 'updated';
  }

  /** Overwrites fields of a locked row. Neither the event nor the audit entry contains the old values. */
  async erase(transaction: Transaction, row: R, changes: Partial<R>, event = 'updated'): Promise<R> {
    transaction.write(lockDeletions());
    transaction.write(refuseHeld(this.repository.tableName, this.rules.definition.type, row.id));
    transaction.write(statement(ERASING, [row.id]));
    const after = this.next(row, { ...(ERASED_ENVELOPE as Partial<RecordRow> as Partial<R>), ...changes });
    const save = this.repository.replace(after);
    this.objects.record(transaction, { event, before: null, after, save, riskLevel: 'high' });
    return this.settle(transaction, { before: row, after, event, input: {} });
  }

  /** Fails the transaction if the caller sets a reference to a record that they cannot see, or adds an archived tag. */
  expectVisible(transaction: Transaction, input: Input, before: Partial<R> = {}): void {
    const { definition, decisions } = this.rules;
    for (const check of visibilityChecks(this.kit.registry, definition.references, input, before))
      transaction.write(check);
    for (const check of decisions.visibility?.(input, before) ?? []) transaction.write(check);
    const check = openTags(input['tags'], before.tags);
    if (check) transaction.write(check);
  }

  /** Fails the transaction if a permission covers the changed row that did not cover it before. */
  expectNoGain(transaction: Transaction, row: R): void {
    for (const [permission, guard] of this.rules.rights.withheld(row)) {
      const stillWithheld: Guard = (add) => `(${guard(add)}) is not true`;
      transaction.write(this.repository.expect(row.id, stillWithheld, permission));
    }
  }

  /** Runs the type's hook after a change has been written. */
  private async settle(transaction: Transaction, change: Change<R>): Promise<R> {
    for (const each of fileReferences(this.rules.definition, change.before, change.after)) transaction.write(each);
    return (await this.rules.decisions.saved?.(transaction, change)) ?? change.after;
  }

  /**
   * Takes the locks that precede that of a row. The lock of legal holds comes before rows, as in retention runs: two
   * transactions would wait for each other if a new hold waited between them.
   */
  private async lockBefore(transaction: Transaction, id: string): Promise<void> {
    transaction.write(lockDeletions());
    await this.rules.decisions.lockFirst?.(transaction, id);
  }

  private next(row: R, changes: Partial<R>): R {
    return { ...this.objects.next(row, changes), updatedBy: currentScope().actor };
  }

  /** Fails the transaction if the caller may not move a row into its new workspace, or give it to another person. */
  private expectPlace(transaction: Transaction, { id }: R, changed: object): void {
    const { permissions, reach } = this.rules.definition;
    const { write } = permissions;
    const { rights } = this.rules;
    const limits = every(
      'workspaceId' in changed ? rights.limitsOfMoved(write) : null,
      reach?.person !== undefined && reach.person in changed ? rights.limitsOfGiven(write) : null,
    );
    if (limits) transaction.write(this.repository.expect(id, limits, write));
  }

  private checksOf(values: { customFields?: unknown }): Statement[] {
    return [
      ...referenceChecks(this.rules.definition.references, values),
      ...this.kit.customFields.checksOf(values.customFields),
    ];
  }

  private moved(before: R, after: R, action: string, reason: string | null): Statement {
    return moveStatement({
      object: this.rules.definition.type,
      recordId: after.id,
      action,
      from: this.rules.placeOf(before),
      to: this.rules.placeOf(after),
      at: after.updatedAt,
      createdAt: before.createdAt,
      reason,
    });
  }
}

function completeRefs(refs: unknown): object[] {
  return ((refs ?? []) as object[]).map((ref) => ({ url: null, ...ref }));
}

/** The statement that fails if an added tag is archived; null if no tag is added. */
function openTags(given: unknown, before: readonly string[] = []): Statement | null {
  const known = new Set(before.map(fold));
  const fresh = ((given ?? []) as readonly string[]).map(fold).filter((each) => !known.has(each)); // as validated
  if (fresh.length === 0) return null;
  return statement('select data.expect_open_tags($1, $2)', [currentTenant().id, fresh]);
}
