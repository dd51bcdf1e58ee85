import { isDeepStrictEqual } from 'node:util';
import { callerOrNull } from '#libs/auth/current-principal.js';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import { pathOf } from './definition.js';
import { checkPrecondition } from './precondition.js';
import type { RecordView } from './record.dto.js';
import { type Draft, ENVELOPE, type RecordRow } from './record.entity.js';
import { isUnsaid, referenceChecks, visibilityChecks } from './references.js';
import { type Input, ResourceType } from './resource-type.js';
import type { Guard } from './table.js';
import { moveStatement } from './transitions.js';

/** What the caller said of a row that they make; no member that could be shown or stored. */
const SAID = Symbol('said');

/** What a row is locked for. */
export interface LockOptions {
  /** Null where what the caller is about to do shows only in the row. */
  permission?: string | null;
  fromTrash?: boolean;
}

/** How the rows of a type are made, locked, changed and saved, each change with its audit entry and event. */
export abstract class ResourceRecording<
  R extends RecordRow,
  V extends RecordView,
  A extends string = string,
> extends ResourceType<R, V, A> {
  /** One transaction, whose broken constraints come out as the problems they mean. `options` as the database has them. */
  async unit<T>(
    work: (transaction: Transaction) => Promise<T>,
    options: { mayShare?: boolean | undefined } = {},
  ): Promise<T> {
    try {
      return await this.kit.database.transaction(work, options);
    } catch (error) {
      throw this.translate(error);
    }
  }

  /**
   * The row with an id, locked, its `If-Match` checked, for the use of a permission of the caller, which is to write if not
   * said. @throws Problem 404, 403 for one that the caller sees but the permission does not reach, 412.
   */
  protected async lock(
    transaction: Transaction,
    id: string,
    { permission = this.definition.permissions.write, fromTrash = false }: LockOptions = {},
  ): Promise<R> {
    const row = await this.repository.lock(transaction, id, this.visible(), this.rights.marks());
    if (!row || (row.deletedAt !== null && !fromTrash)) throw Problem.notFound();
    if (permission !== null) this.rights.require(row, permission);
    checkPrecondition(row.version);
    return row;
  }

  /** As {@link lock} for a change that the caller did not ask for in person. @throws Problem 404. */
  protected async lockPlainly(transaction: Transaction, id: string): Promise<R> {
    const row = await this.repository.lock(transaction, id);
    if (row?.deletedAt !== null) throw Problem.notFound();
    return row;
  }

  /** A complete new row. Takes its number, so it stands before the transaction. */
  protected async prepare(input: Input): Promise<R> {
    const own = await this.customFieldsOf(input);
    const draft = await this.draft(input);
    return this.complete(draft, await this.kit.numbers.next(this.definition.type), { ...input, ...own });
  }

  protected async customFieldsOf({ customFields }: Input): Promise<{ customFields: Input }> {
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
      [SAID]: input,
    }; // Draft<R> plus exactly the kit's columns is R; TypeScript cannot see that for a type parameter
  }

  /**
   * Saves a row that the caller makes, which has to be within their reach and to name what they see, with its audit entry
   * and event.
   */
  protected add(transaction: Transaction, row: R): V {
    const { [SAID]: said = {} } = row as R & { [SAID]?: Input };
    if (!isUnsaid(said)) this.expectVisible(transaction, said);
    const { write } = this.definition.permissions;
    const limits = this.rights.limitsOfNew(write);
    const view = this.addPlainly(transaction, row);
    if (limits) transaction.write(this.repository.expect(row.id, limits, write));
    return view;
  }

  /** As {@link add} for a row that the caller did not ask for in person. */
  protected addPlainly(transaction: Transaction, row: R): V {
    for (const check of this.checksOf(row)) transaction.write(check);
    const { createdEvent = 'created' } = this.definition;
    this.record(transaction, { event: createdEvent, row, save: this.repository.insert(row) });
    return this.showToCaller(row);
  }

  /** What a patch changes of the fields that every record has, and of the type's own. */
  protected async editAll(row: R, patch: Input): Promise<Partial<R>> {
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
    if (after.workspaceId !== row.workspaceId) this.expectPlace(transaction, after);
    if (why.move) transaction.write(this.moved(row, after, why.move, why.reason ?? null));
    return this.showToCaller(after);
  }

  /** Has the transaction fail when the caller says a reference, not that of `before`, to a record that they do not see. */
  protected expectVisible(transaction: Transaction, input: Input, before: object = {}): void {
    const { references } = this.definition;
    for (const check of visibilityChecks(this.kit.registry, references, input, before)) transaction.write(check);
  }

  /** Has the transaction fail when the caller has brought a row, as it was locked, within rights that did not reach it. */
  protected expectNoGain(transaction: Transaction, row: R): void {
    for (const [permission, guard] of this.rights.withheld(row)) {
      const stillWithheld: Guard = (add) => `(${guard(add)}) is not true`;
      transaction.write(this.repository.expect(row.id, stillWithheld, permission));
    }
  }

  /** Has the transaction fail when the caller could not have put a row where it now is. */
  private expectPlace(transaction: Transaction, { id }: R): void {
    const { write } = this.definition.permissions;
    const limits = this.rights.limitsOfMoved(write);
    if (limits) transaction.write(this.repository.expect(id, limits, write));
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
}

function completeRefs(refs: unknown): object[] {
  return ((refs ?? []) as object[]).map((ref) => ({ url: null, ...ref }));
}

function same(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === 'object' && typeof b === 'object' && isDeepStrictEqual(a, b)); // jsonb orders members
}
