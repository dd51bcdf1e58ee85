import { isDeepStrictEqual } from 'node:util';
import type { OnModuleInit } from '@nestjs/common';
import { callerOrNull, requirePermission } from '#libs/auth/current-principal.js';
import { breaksConstraint, brokenReference, brokenUnique } from '#libs/database/failures.js';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { invalidTransition } from '#libs/kernel/lifecycle.js';
import { Problem } from '#libs/kernel/problem.js';
import type { CompleteGate } from '#libs/settings/gate.model.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import { operationPrefix, pathOf, type ResourceDefinition } from './definition.js';
import { toListRequest } from './list-query.js';
import { Parked } from './gates.js';
import { checkPrecondition } from './precondition.js';
import { Presenter } from './presenter.js';
import type { Deleted, RecordView } from './record.dto.js';
import { type Draft, ENVELOPE, type RecordRow } from './record.entity.js';
import { referenceChecks } from './references.js';
import { rehearse } from './rehearsal.js';
import type { ResourceKit } from './resource-kit.js';
import type { Page, ResourceRepository } from './resource.repository.js';
import { shorthandOf } from './shorthand.js';
import { kebab, type StandardAction, STANDARD_ACTIONS } from './standard-actions.js';
import type { Guard } from './table.js';
import { moveStatement } from './transitions.js';

type Input = Record<string, unknown>;

/** What an action decides: the fields that change, or a problem that it throws. `input` is the action's own model. */
export type ActionHandler<R> = (row: R, input: never) => Partial<R> | Promise<Partial<R>>;

/**
 * The standard verbs of a resource. An area's service says how a new record is drafted, how a patch changes one, what each
 * action does and how a row is shown; everything around it (locks, preconditions, states, audit, events) is here.
 */
export abstract class ResourceService<
  R extends RecordRow,
  V extends RecordView,
  A extends string = string,
> implements OnModuleInit {
  /** What the type's own actions do besides setting the state field. */
  protected readonly handlers: Partial<Record<Exclude<A, StandardAction>, ActionHandler<R>>> = {};

  /** Problems for the database constraints that a caller can run into, by constraint name. */
  protected readonly constraints: Record<string, () => Problem> = {};

  private readonly presenter: Presenter<R, V, A>;

  constructor(
    readonly definition: ResourceDefinition<R, A>,
    readonly kit: ResourceKit,
    protected readonly repository: ResourceRepository<R>,
  ) {
    this.presenter = new Presenter(definition, {
      stateOf: (row) => this.stateOf(row),
      derive: (row) => this.derive(row),
      isAboutCaller: (row) => this.isAboutCaller(row),
    });
  }

  onModuleInit(): void {
    this.kit.registry.add(this.definition, Object.keys(this.handlers), this);
  }

  /** State of a row in the life cycle. */
  protected stateOf(row: R): string {
    const { stateField, lifecycle } = this.definition;
    return stateField === undefined ? lifecycle.initial : String((row as unknown as Input)[stateField]); // a column of text
  }

  /** Fields of the API that are worked out from a row. */
  protected derive(_row: R): Partial<V> {
    return {};
  }

  /** A new record from a validated create body. */
  protected async draft(input: Input): Promise<Draft<R>> {
    return input as unknown as Draft<R>; // unless a service says otherwise the members of the body are columns
  }

  /** What a validated patch changes. */
  protected edit(_row: R, patch: Input): Partial<R> | Promise<Partial<R>> {
    return patch as Partial<R>; // as in draft()
  }

  /** A condition on the records that the caller may see at all; null when that is all of them. */
  protected guard(): Guard | null {
    return null;
  }

  /** Whether the caller is the person that the record is about, who sees its restricted fields. */
  protected isAboutCaller(_row: R): boolean {
    return false;
  }

  /** A page of what `within` lets through, which is what the caller may see at all if not said. */
  async list(query: Input, within: Guard | null = this.guard()): Promise<Page<V>> {
    const { list } = this.definition;
    const request = toListRequest(list, query, this.now(), callerOrNull()?.membershipId ?? undefined);
    request.filters = await this.surely(() => this.kit.customFields.searched(this.definition.type, request.filters));
    if (request.includeDeleted && list.trashPermission) requirePermission(list.trashPermission);
    const { data, page } = await this.repository.page(request, list, within);
    return { data: data.map((row) => this.presenter.inList(row)), page };
  }

  /** @throws Problem 404. */
  async get(id: string): Promise<V> {
    return this.showToCaller(await this.read(id));
  }

  /** The row with an id that the caller may see; null when there is none, or it is in the trash. */
  async find(id: string): Promise<R | null> {
    const row = await this.repository.find(id, this.guard());
    return row?.deletedAt === null ? row : null;
  }

  /** As {@link find}. @throws Problem 404. */
  async read(id: string): Promise<R> {
    const row = await this.find(id);
    if (!row) throw Problem.notFound();
    return row;
  }

  async create(input: Input): Promise<V> {
    this.refuseRestricted(input);
    let { epoch } = currentTenant();
    let row = await this.surely(() => this.prepare(input));
    return this.unit(async (transaction) => {
      // Cached facts turned out to be out of date since: the draft may rest on them.
      if (epoch !== currentTenant().epoch)
        row = { ...row, ...(await this.draft(input)), ...(await this.customFieldsOf(input)) };
      ({ epoch } = currentTenant());
      return this.add(transaction, row);
    });
  }

  /** Applies a merge patch. A patch that changes nothing leaves the version as it is and emits nothing. */
  async update(id: string, patch: Input): Promise<V> {
    this.refuseRestricted(patch);
    return this.unit(async (transaction) => {
      const row = await this.lock(transaction, id);
      const shorthand = shorthandOf(this.definition, this.stateOf(row), patch);
      if (shorthand) {
        if (!shorthand.action) throw this.refusal(row, shorthand.name);
        return this.transitAsCaller(transaction, row, shorthand.action, shorthand.input);
      }
      this.refuseLocked(row);
      return this.apply(transaction, row, await this.editAll(row, patch), 'updated');
    });
  }

  /** Takes an action of the life cycle. @throws Problem 409 `invalid_transition`. */
  async act(action: A, id: string, input: Input): Promise<V> {
    return this.unit(async (transaction) => {
      const row = await this.lock(transaction, id, action === 'restore');
      return this.transitAsCaller(transaction, row, action, input ?? {});
    });
  }

  /**
   * Takes an action as a consequence of another change: without a permission of the caller and whatever the request's
   * `If-Match` says. @throws Problem 404, 409 `invalid_transition`.
   */
  async follow(action: A, id: string, input: Input = {}): Promise<V> {
    return this.unit(async (transaction) =>
      this.transit(transaction, await this.lockPlainly(transaction, id), action, input),
    );
  }

  /** Changes fields as a consequence of another change, as {@link follow} takes actions. @throws Problem 404. */
  async amend(id: string, change: (row: R) => Partial<R>, event = 'updated'): Promise<V> {
    return this.unit(async (transaction) => {
      const row = await this.lockPlainly(transaction, id);
      return this.apply(transaction, row, change(row), event);
    });
  }

  async remove(id: string): Promise<Deleted> {
    return this.unit(async (transaction) => {
      const row = await this.lock(transaction, id);
      const { deletedAt } = await this.transitAsCaller(transaction, row, 'delete' as A, {});
      return { id, object: this.definition.type, deleted: true, deletedAt: deletedAt! };
    });
  }

  /** A complete new row. Takes its number, so it stands before the transaction. */
  protected async prepare(input: Input): Promise<R> {
    const own = await this.customFieldsOf(input);
    const draft = await this.draft(input);
    return this.complete(draft, await this.kit.numbers.next(this.definition.type), { ...input, ...own });
  }

  /** Does again what was refused by facts about the tenant that turn out to have changed since they were cached. */
  private async surely<T>(work: () => Promise<T>): Promise<T> {
    const { epoch } = currentTenant();
    try {
      return await work();
    } catch (error) {
      // What is no refusal may have broken an open transaction; what the credential was refused for is decided.
      if (!(error instanceof Problem) || error.status === 401 || error.status === 403) throw error;
      await this.kit.database.confirm();
      if (epoch === currentTenant().epoch) throw error;
      return work();
    }
  }

  private async customFieldsOf({ customFields }: Input): Promise<{ customFields: Input }> {
    return { customFields: await this.kit.customFields.ofNew(this.definition.type, customFields as Input | undefined) };
  }

  /** A new row from a draft and its number: adds what every record has, partly from the create body. */
  protected complete(draft: Draft<R>, number: number, input: Input = {}): R {
    const at = this.now();
    const stamp = currentScope().actor;
    const { workspaceId = null, ownerId = callerOrNull()?.membershipId ?? null } = input;
    return {
      ...this.repository.blank(),
      ...(this.definition.stateField ? { [this.definition.stateField]: this.definition.lifecycle.initial } : {}),
      ...this.definition.defaults,
      ...draft,
      workspaceId,
      ownerId,
      tags: input['tags'] ?? [],
      customFields: input['customFields'] ?? {},
      externalRefs: completeRefs(input['externalRefs']),
      tenantId: currentTenant().id,
      id: uuidv7(),
      reference: `${this.definition.prefix}-${String(number).padStart(6, '0')}`,
      version: 1,
      createdAt: at,
      updatedAt: at,
      createdBy: stamp,
      updatedBy: stamp,
      archivedAt: null,
      deletedAt: null,
    }; // Draft<R> plus exactly the kit's columns is R; TypeScript cannot see that for a type parameter
  }

  /** Saves a new row with its audit entry and event. */
  protected add(transaction: Transaction, row: R): V {
    for (const check of this.checksOf(row)) transaction.write(check);
    const { createdEvent = 'created' } = this.definition;
    this.record(transaction, { event: createdEvent, row, save: this.repository.insert(row) });
    return this.showToCaller(row);
  }

  /** One transaction, whose broken constraints come out as the problems they mean. */
  async unit<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    try {
      return await this.kit.database.transaction(work);
    } catch (error) {
      throw this.translate(error);
    }
  }

  /** The problem that a broken constraint means; any other error as it is. */
  translate(error: unknown): unknown {
    const found = Object.entries(this.constraints).find(([constraint]) => breaksConstraint(error, constraint));
    if (found) return found[1]();
    const pointer = brokenReference(error);
    if (pointer !== null)
      return Problem.validation([{ pointer, code: 'unknown_reference', detail: 'There is no such record.' }]);
    const unique = brokenUnique(error);
    const field = unique && (unique === 'external_refs_key' ? 'externalRefs' : this.repository.uniqueField(unique));
    if (!field) return error;
    return new Problem('duplicate', `Another ${this.definition.noun} has the same ${field}.`, {
      extensions: { field },
    });
  }

  /** Runs an action that the caller asked for on a locked row. */
  protected async transitAsCaller(transaction: Transaction, row: R, action: A, input: Input): Promise<V> {
    const { gate, permission, byPlatform } = this.definition.lifecycle.transitions[action];
    requirePermission(permission);
    if (byPlatform) throw this.refusal(row, action);
    if (gate !== undefined) {
      this.refuseImpossible(row, action);
      const facts = async () => ({
        ...this.presenter.whole(row),
        ...input,
        ...(await this.gateFacts(row, action, input)),
      });
      const holding = await this.kit.gates.holding(gate, facts);
      if (holding) return this.askForApproval(transaction, holding, row, action, input);
    }
    return this.transit(transaction, row, action, input);
  }

  /** What the conditions of gates can be about besides the fields of the record and the input of the action. */
  protected gateFacts(_row: R, _action: A, _input: Input): Input | Promise<Input> {
    return {};
  }

  /** Has an action wait for approval, if it could be taken now; the answer stands in the place of the record. */
  private async askForApproval(
    transaction: Transaction,
    gate: CompleteGate,
    row: R,
    action: A,
    input: Input,
  ): Promise<V> {
    const { type: object, lifecycle } = this.definition;
    await rehearse(transaction, () => this.transit(transaction, row, action, input));
    const { summary, permission } = lifecycle.transitions[action];
    const operation = `${operationPrefix(this.definition)}.${action}`;
    const waiting = { gate, operation, action, summary, permission, object, row, input };
    const approval = await this.kit.gates.park(transaction, waiting);
    return new Parked(approval, this.showToCaller(row)) as unknown as V; // callers of act() and update() pass it on as it is
  }

  /** Takes an action that has been approved, as the caller, who asked for it. @throws Problem 409 `stale_target`. */
  async execute(action: A, id: string, input: Input, version: number): Promise<V> {
    return this.unit(async (transaction) => {
      const row = await this.lock(transaction, id);
      requirePermission(this.definition.lifecycle.transitions[action].permission);
      if (row.version !== version)
        throw new Problem('stale_target', 'The record has changed since approval was asked for.');
      return this.transit(transaction, row, action, input);
    });
  }

  /** Runs an action on a locked row inside an open transaction. */
  protected async transit(transaction: Transaction, row: R, action: A, input: Input): Promise<V> {
    const { lifecycle } = this.definition;
    const transition = lifecycle.transitions[action];
    this.refuseImpossible(row, action);
    const standard = STANDARD_ACTIONS[action as StandardAction] as ((at: string) => Partial<RecordRow>) | undefined;
    const changes = standard
      ? (standard(this.now()) as Partial<R>)
      : {
          ...this.stateAfter(transition.to),
          ...(await this.handlers[action as Exclude<A, StandardAction>]?.(row, input as never)), // validated against its model
        };
    const reason = typeof input['reason'] === 'string' ? input['reason'] : null;
    const why = { reason, riskLevel: transition.risk, move: standard ? null : action };
    return this.apply(transaction, row, changes, transition.event, why);
  }

  /** @throws Problem 409 for an action that the state does not allow. */
  private refuseImpossible(row: R, action: A): void {
    const { byPlatform, from } = this.definition.lifecycle.transitions[action];
    const open = byPlatform ? from.includes(this.stateOf(row)) : this.presenter.possibleActions(row).includes(action);
    if (!open) throw action === 'delete' ? this.undeletable(row) : this.refusal(row, action);
  }

  private stateAfter(to: string | null): Partial<R> {
    const { stateField } = this.definition;
    return stateField !== undefined && to !== null ? ({ [stateField]: to } as Partial<R>) : {};
  }

  /** 409 for an action that the state does not allow. */
  protected refusal(row: R, action: string, detail?: string): Problem {
    const actions = this.presenter.possibleActions(row).map(kebab);
    return invalidTransition(kebab(action), { state: this.stateOf(row), ...this.stageOf(row) }, actions, detail);
  }

  /** 409 for a record that cannot go into the trash. `Source:` contract section 10. */
  private undeletable(row: R): Problem {
    const { noun } = this.definition;
    return new Problem('record_locked', `A ${noun} in the state ${this.stateOf(row)} cannot be deleted.`);
  }

  /** Where a row stands inside its state, for types that have stages. */
  protected stageOf(_row: R): { stage?: string } {
    return {};
  }

  protected now(): string {
    return (currentScope().stampedAt ??= this.kit.clock.now().toISOString());
  }

  /** The row with an id, locked, its `If-Match` checked. @throws Problem 404, 412. */
  protected async lock(transaction: Transaction, id: string, fromTrash = false): Promise<R> {
    const row = await this.repository.lock(transaction, id, this.guard());
    if (!row || (row.deletedAt !== null && !fromTrash)) throw Problem.notFound();
    checkPrecondition(row.version);
    return row;
  }

  /** As {@link lock} for a change that the caller did not ask for in person. @throws Problem 404. */
  protected async lockPlainly(transaction: Transaction, id: string): Promise<R> {
    const row = await this.repository.lock(transaction, id);
    if (row?.deletedAt !== null) throw Problem.notFound();
    return row;
  }

  /** @throws Problem 403 `field_forbidden` for a field that the caller may not even read. */
  private refuseRestricted(input: Input): void {
    for (const { fields, permission } of this.definition.restricted ?? []) {
      const field = fields.find((each) => each in input);
      if (field !== undefined && !callerOrNull()?.permissions.has(permission))
        throw new Problem('field_forbidden', `The field ${field} needs the scope ${permission}.`, {
          extensions: { field, requiredPermission: permission },
        });
    }
  }

  /** What a patch changes of the fields that every record has, and of the type's own. */
  private async editAll(row: R, patch: Input): Promise<Partial<R>> {
    const own: Input = { ...patch };
    const shared: Input = {};
    for (const field of ENVELOPE)
      if (field in own) {
        shared[field] = own[field];
        delete own[field];
      }
    if (shared['customFields'])
      shared['customFields'] = await this.kit.customFields.ofChanged(
        this.definition.type,
        row.customFields,
        shared['customFields'] as Input,
      );
    if (shared['externalRefs']) shared['externalRefs'] = completeRefs(shared['externalRefs']);
    return { ...(shared as Partial<R>), ...(await this.edit(row, own)) };
  }

  /** @throws Problem 409 `record_locked` for an archived record. */
  protected refuseLocked(row: R): void {
    if (row.archivedAt !== null)
      throw new Problem('record_locked', `The ${this.definition.noun} is archived; unarchive it to change it.`);
  }

  /** Saves what changed of a locked row, with its audit entry and event; nothing when nothing did. */
  protected apply(
    transaction: Transaction,
    row: R,
    changes: Partial<R>,
    event: string,
    why: { reason?: string | null; riskLevel?: 'low' | 'medium' | 'high' | undefined; move?: string | null } = {},
  ): V {
    const before = this.presenter.toAnyone(row);
    const changed = Object.entries(changes).filter(([field, value]) => !same(row[field as keyof R], value));
    if (changed.length === 0) return this.showToCaller(row);
    const after: R = {
      ...row,
      ...changes,
      version: row.version + 1,
      updatedAt: this.now(),
      updatedBy: currentScope().actor,
    };
    for (const check of this.checksOf(Object.fromEntries(changed))) transaction.write(check);
    const concealed = changed.map(([field]) => field).filter((field) => this.presenter.isRestricted(field));
    this.record(transaction, { event, before, row: after, save: this.repository.replace(after), concealed, ...why });
    if (why.move) transaction.write(this.moved(row, after, why.move, why.reason ?? null));
    return this.showToCaller(after);
  }

  private checksOf(values: { customFields?: unknown }): Statement[] {
    return [
      ...referenceChecks(this.definition.references, values),
      ...this.kit.customFields.checksOf(values.customFields),
    ];
  }

  private moved(before: R, after: R, action: string, reason: string | null): Statement {
    const place = (row: R) => ({ state: this.stateOf(row), ...this.stageOf(row) });
    return moveStatement({
      object: this.definition.type,
      recordId: after.id,
      action,
      from: place(before),
      to: place(after),
      at: after.updatedAt,
      createdAt: before.createdAt,
      reason,
    });
  }

  /** Adds a row with its audit entry and event to a transaction. */
  protected record(
    transaction: Pick<Transaction, 'write'>,
    change: {
      event: string;
      before?: V;
      row: R;
      save: Statement;
      concealed?: readonly string[];
      reason?: string | null;
      riskLevel?: 'low' | 'medium' | 'high' | undefined;
    },
  ): void {
    const { row, before = null, save } = change;
    const { type } = this.definition;
    this.kit.commits.add(transaction, {
      save,
      event: `${type}.${change.event}`,
      subject: {
        type,
        id: row.id,
        reference: row.reference,
        version: row.version,
        url: `${pathOf(this.definition)}/${row.id}`,
        name: row.name,
      },
      before,
      after: this.presenter.toAnyone(row),
      at: row.updatedAt,
      riskLevel: change.riskLevel ?? 'low',
      concealed: change.concealed ?? [],
      reason: change.reason ?? null,
    });
  }

  /** The row as the API shows it to the caller, with what they could do with it. */
  protected showToCaller(row: R): V {
    return this.presenter.toCaller(row);
  }
}

function completeRefs(refs: unknown): object[] {
  return ((refs ?? []) as object[]).map((ref) => ({ url: null, ...ref }));
}

function same(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === 'object' && typeof b === 'object' && isDeepStrictEqual(a, b)); // jsonb orders members
}
