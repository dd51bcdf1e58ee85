import type { OnModuleInit } from '@nestjs/common';
import { every } from '#libs/access/guard.js';
import { requirePermission } from '#libs/auth/current-principal.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { passedGate } from '#libs/kernel/lifecycle.js';
import type { CompleteGate } from '#libs/settings/gate.model.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { operationPrefix } from './definition.js';
import type { Facts } from './gate-conditions.js';
import { gateDenied, Parked, type WaitingAction } from './gates.js';
import { toListRequest } from './list-query.js';
import type { Deleted, RecordView } from './record.dto.js';
import type { RecordRow } from './record.entity.js';
import type { Explanation } from './record-explanation.js';
import { trashQueries } from './references.js';
import { rehearse } from './rehearsal.js';
import { ResourceRecording } from './resource-recording.js';
import type { Input } from './resource-type.js';
import type { Page } from './resource.repository.js';
import { shorthandOf } from './shorthand.js';
import { type StandardAction, STANDARD_ACTIONS, withArticle } from './standard-actions.js';
import type { Guard } from './table.js';

/** What an edit is called where it waits for approval. */
const EDIT = 'update';

/**
 * The standard verbs of a resource. An area's service says how a new record is drafted, how a patch changes one, what each
 * action does and how a row is shown; everything around it (locks, preconditions, states, audit, events) is here.
 */
export abstract class ResourceService<R extends RecordRow, V extends RecordView, A extends string = string>
  extends ResourceRecording<R, V, A>
  implements OnModuleInit
{
  onModuleInit(): void {
    this.kit.registry.add(this.definition, Object.keys(this.handlers), this);
  }

  /** A page of what `within` lets through, which is what the caller may see at all if not said. */
  async list(query: Input, within: Guard | null = this.visible()): Promise<Page<V>> {
    const { list } = this.definition;
    const request = toListRequest(list, query, this.now());
    request.filters = await this.surely(() => this.kit.customFields.searched(this.definition.type, request.filters));
    const guard =
      request.includeDeleted && list.trashPermission ? every(within, this.trash(list.trashPermission)) : within;
    const { data, page } = await this.repository.page(request, list, guard);
    return { data: data.map((row) => this.presenter.inList(row)), page };
  }

  /** What the caller may see of the trash, and all that is not in it; null for everything. @throws Problem 403. */
  private trash(permission: string): Guard | null {
    requirePermission(permission, { object: this.definition.type });
    const limits = this.rights.limits(permission);
    return limits && ((add) => `(t.deleted_at is null or ${limits(add)})`);
  }

  /** @throws Problem 404. */
  async get(id: string): Promise<V> {
    return this.showToCaller(await this.read(id));
  }

  /** The row with an id that the caller may see; null when there is none, or it is in the trash. */
  async find(id: string): Promise<R | null> {
    const row = await this.repository.find(id, this.visible(), this.rights.marks());
    return row?.deletedAt === null ? row : null;
  }

  /** As {@link find}. @throws Problem 404. */
  async read(id: string): Promise<R> {
    const row = await this.find(id);
    if (!row) throw Problem.notFound();
    return row;
  }

  /** As {@link read}, for a change that the caller did not ask for in person: whether or not they may see it. */
  async readPlainly(id: string): Promise<R> {
    const row = await this.repository.find(id);
    if (row?.deletedAt !== null) throw Problem.notFound();
    return row;
  }

  /** As {@link read}, for the use of a permission of another type on it. @throws Problem 403, 404. */
  async readFor(id: string, permission: string): Promise<R> {
    const row = await this.repository.find(id, this.visible(), this.rights.marks([permission]));
    if (row?.deletedAt !== null) throw Problem.notFound();
    this.rights.require(row, permission);
    return row;
  }

  async isOpen(id: string, permission: string | null, fields: readonly string[]): Promise<boolean> {
    const used = permission === null ? [] : [permission];
    const row = await this.repository.find(id, this.visible(), this.rights.marks(used));
    if (!row) return (await this.repository.find(id)) === null;
    if (used.some((each) => this.rights.limits(each) && !this.rights.permits(row, each))) return false;
    const shown = this.showToCaller(row);
    return fields.every((field) => field in shown);
  }

  /** What the caller may do with a record and why, also one that they may not see; null when there is none. */
  async explain(id: string, more: readonly string[] = []): Promise<Explanation | null> {
    const row = await this.repository.find(id, null, this.explainer.marks(this.guard(), more));
    return row?.deletedAt === null ? this.explainer.explain(row, more) : null;
  }

  async create(input: Input): Promise<V> {
    this.refuseRestricted(input);
    await this.refuseOpening(input, null);
    let { epoch } = currentTenant();
    let row = await this.surely(() => this.prepare(input));
    await this.refuseBeyondGate(row);
    const work = async (transaction: Transaction): Promise<V> => {
      // Cached facts turned out to be out of date since: the draft may rest on them.
      if (epoch !== currentTenant().epoch) {
        row = { ...row, ...(await this.draft(input)), ...(await this.customFieldsOf(input)) };
        await this.refuseBeyondGate(row);
      }
      ({ epoch } = currentTenant());
      return this.add(transaction, row);
    };
    return this.unit(work, { mayShare: this.definition.createsTogether });
  }

  /** Applies a merge patch. A patch that changes nothing leaves the version as it is and emits nothing. */
  async update(id: string, patch: Input): Promise<V> {
    this.refuseRestricted(patch);
    return this.unit(async (transaction) => {
      const row = await this.lock(transaction, id, { permission: null });
      const shorthand = shorthandOf(this.definition, this.stateOf(row), patch);
      if (shorthand) {
        if (!shorthand.action) throw this.refusal(row, shorthand.name);
        return this.transitAsCaller(transaction, row, shorthand.action, shorthand.input);
      }
      this.rights.require(row, this.definition.permissions.write);
      this.refuseLocked(row);
      const gate = await this.gateOfEdit(transaction, row, patch);
      const work = () => this.editAsCaller(transaction, row, patch);
      if (!gate) return work();
      const summary = `Change ${withArticle(this.definition.noun)}`;
      const order = { action: EDIT, summary, permission: this.definition.permissions.write, input: patch };
      return this.askForApproval(transaction, gate, row, order, work);
    });
  }

  private async editAsCaller(transaction: Transaction, row: R, patch: Input): Promise<V> {
    await this.refuseOpening(patch, row);
    this.expectVisible(transaction, patch, row);
    const view = this.apply(transaction, row, await this.editAll(row, patch), 'updated');
    this.expectNoGain(transaction, row);
    return view;
  }

  /** Takes an action of the life cycle. @throws Problem 409 `invalid_transition`. */
  async act(action: A, id: string, input: Input): Promise<V> {
    return this.unit(async (transaction) => {
      const row = await this.lock(transaction, id, { permission: null, fromTrash: action === 'restore' });
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
      const row = await this.lock(transaction, id, { permission: null });
      const { deletedAt } = await this.transitAsCaller(transaction, row, 'delete' as A, {});
      return { id, object: this.definition.type, deleted: true, deletedAt: deletedAt! };
    });
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

  /** Runs an action that the caller asked for on a locked row. */
  protected async transitAsCaller(transaction: Transaction, row: R, action: A, input: Input): Promise<V> {
    const { gate, permission, summary, byPlatform } = this.definition.lifecycle.transitions[action];
    requirePermission(permission, { object: this.definition.type });
    this.rights.require(row, permission);
    if (byPlatform) throw this.refusal(row, action);
    this.expectVisible(transaction, input, row);
    const work = () => this.transit(transaction, row, action, input);
    if (gate !== undefined && (await this.isGated(row, action, input))) {
      this.refuseImpossible(row, action);
      const holding = await this.kit.gates.holding(gate.key, () => this.factsOf(row, action, input));
      if (holding) return this.askForApproval(transaction, holding, row, { action, summary, permission, input }, work);
    }
    return work();
  }

  private async factsOf(row: R, action: A | null, input: Input): Promise<Facts> {
    return { ...this.presenter.whole(row), ...input, ...(await this.gateFacts(row, action, input)) };
  }

  /** The gate that a row has passed, if the tenant has it, and at which a patch would have to wait. @throws Problem 403. */
  private async gateOfEdit(transaction: Transaction, row: R, patch: Input): Promise<CompleteGate | null> {
    const gate = passedGate(this.definition.lifecycle, this.stateOf(row));
    if (!gate || !(await this.kit.gates.met(gate.key))) return null;
    let after = row;
    await rehearse(transaction, async () => {
      after = { ...row, ...(await this.editAll(row, patch)) };
    });
    if (!(await this.isGated(after, null, {}))) return null;
    return this.kit.gates.holdingAgain(gate, await this.factsOf(row, null, {}), await this.factsOf(after, null, {}));
  }

  /**
   * Leaves a new record on the near side of a gate, where the action that passes it can be asked for.
   * @throws Problem 403 `gate_denied`.
   */
  private async refuseBeyondGate(row: R): Promise<void> {
    const gate = passedGate(this.definition.lifecycle, this.stateOf(row));
    if (!gate || !(await this.kit.gates.met(gate.key)) || !(await this.isGated(row, null, {}))) return;
    if (await this.kit.gates.holding(gate.key, () => this.factsOf(row, null, {})))
      throw gateDenied(gate.key, `Make the ${this.definition.noun} where it does not meet the gate, and then move it.`);
  }

  /** Has a command wait for approval, if it could be done now; the answer stands in the place of the record. */
  private async askForApproval(
    transaction: Transaction,
    gate: CompleteGate,
    row: R,
    order: Pick<WaitingAction, 'action' | 'summary' | 'permission' | 'input'>,
    work: () => Promise<V>,
  ): Promise<V> {
    await rehearse(transaction, work);
    const operation = `${operationPrefix(this.definition)}.${order.action}`;
    const waiting = { gate, operation, object: this.definition.type, row, ...order };
    const approval = await this.kit.gates.park(transaction, waiting);
    return new Parked(approval, this.showToCaller(row)) as unknown as V; // callers of act() and update() pass it on as it is
  }

  /** Does what has been approved, as the caller, who asked for it. @throws Problem 409 `stale_target`. */
  async execute(action: A | typeof EDIT, id: string, input: Input, version: number): Promise<V> {
    return this.unit(async (transaction) => {
      const { lifecycle, permissions, type: object } = this.definition;
      const permission = action === EDIT ? permissions.write : lifecycle.transitions[action].permission;
      requirePermission(permission, { object });
      const row = await this.lock(transaction, id, { permission });
      if (row.version !== version)
        throw new Problem('stale_target', 'The record has changed since approval was asked for.');
      if (action !== EDIT) return this.transit(transaction, row, action, input);
      this.refuseRestricted(input);
      this.refuseLocked(row);
      return this.editAsCaller(transaction, row, input);
    });
  }

  /** Runs an action on a locked row inside an open transaction. */
  protected async transit(transaction: Transaction, row: R, action: A, input: Input): Promise<V> {
    const { lifecycle } = this.definition;
    const transition = lifecycle.transitions[action];
    this.refuseImpossible(row, action);
    await this.refuseOpening(input, row);
    if (action === 'restore') await this.refuseDangling(transaction, row);
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

  /** @throws Problem 409 `reference_in_trash` for a record that would come back without something that it names. */
  private async refuseDangling(transaction: Transaction, row: R): Promise<void> {
    const { references, named } = this.definition;
    for (const [field, query] of trashQueries({ ...references, ...named }, row)) {
      const found = await transaction.query<{ deletedAt: string | null }>(query);
      if (found.some(({ deletedAt }) => deletedAt !== null))
        throw new Problem('reference_in_trash', `What ${field} names is in the trash; restore that first.`, {
          extensions: { field },
        });
    }
  }

  private stateAfter(to: string | null): Partial<R> {
    const { stateField } = this.definition;
    return stateField !== undefined && to !== null ? ({ [stateField]: to } as Partial<R>) : {};
  }
}
