import { requirePermission } from '#libs/auth/current-principal.js';
import type { Transaction } from '#libs/database/transaction.js';
import { passedGate, passedTransition } from '#libs/kernel/lifecycle.js';
import type { CompleteGate } from '#libs/settings/gate.model.js';
import type { Facts } from '../gates/gate-conditions.js';
import { differ, gateDenied, Parked, type WaitingAction } from '../gates/gates.js';
import type { ResourceKit } from '../resource-kit.js';
import type { Input } from '../types/decisions.js';
import { operationPrefix } from '../types/definition.js';
import type { RecordView } from '../types/record.dto.js';
import type { RecordRow } from '../types/record.entity.js';
import { rehearse } from './rehearsal.js';
import type { RowChanges } from './row-changes.js';
import type { TypeRules } from './type-rules.js';

/** The gates of a type. Determines which one applies to a change, and parks the change. */
export class TypeGates<R extends RecordRow, V extends RecordView, A extends string = string> {
  constructor(
    private readonly kit: ResourceKit,
    private readonly rules: TypeRules<R, V, A>,
    private readonly rows: RowChanges<R, V, A>,
  ) {}

  /** The gate at which an action must wait; null if it may pass. @throws Problem 403, 409 for an impossible action. */
  async ofAction(key: string, row: R, action: A, input: Input): Promise<CompleteGate | null> {
    if (!(await this.isGated(row, action, input))) return null;
    this.rules.refuseImpossible(row, action);
    return this.kit.gates.holding(key, () => this.factsOf(row, action, input));
  }

  /** The gate that a row has passed and at which a patch must wait; null if there is none. @throws Problem 403. */
  async ofEdit(transaction: Transaction, row: R, patch: Input): Promise<CompleteGate | null> {
    const gate = passedGate(this.rules.definition.lifecycle, this.rules.stateOf(row));
    if (!gate || !(await this.kit.gates.met(gate.key))) return null;
    let after = row;
    await rehearse(transaction, async () => {
      after = { ...row, ...(await this.rows.edit(row, patch)) };
    });
    if (!(await this.isGated(after, null, {}))) return null;
    return this.kit.gates.holdingAgain(gate, await this.factsOf(row, null, {}), await this.factsOf(after, null, {}));
  }

  /**
   * Refuses an edit of what the action that led to this state has settled, unless the caller may take that action.
   * @throws Problem 403 `permission_denied`.
   */
  async refuseSettled(row: R, changes: Partial<R>): Promise<void> {
    const { lifecycle, type: object } = this.rules.definition;
    const passed = passedTransition(lifecycle, this.rules.stateOf(row));
    if (!passed?.gate?.guards) return;
    const [before, after] = [await this.factsOf(row, null, {}), await this.factsOf({ ...row, ...changes }, null, {})];
    if (!differ(before, after, passed.gate.guards)) return;
    requirePermission(passed.permission, { object });
    this.rules.rights.require(row, passed.permission);
  }

  /**
   * Refuses to create a record in a state behind a gate. The caller must create it in an earlier state and then take
   * the action.
   * @throws Problem 403 `gate_denied`.
   */
  async refuseBeyond(row: R): Promise<void> {
    const { lifecycle, noun } = this.rules.definition;
    const gate = passedGate(lifecycle, this.rules.stateOf(row));
    if (!gate || !(await this.kit.gates.met(gate.key)) || !(await this.isGated(row, null, {}))) return;
    if (await this.kit.gates.holding(gate.key, () => this.factsOf(row, null, {})))
      throw gateDenied(gate.key, `Make the ${noun} where it does not meet the gate, and then move it.`);
  }

  /**
   * Parks a command for approval if it would succeed now. Returns the pending approval, which the response shows in
   * place of the record.
   */
  async wait(
    transaction: Transaction,
    gate: CompleteGate,
    row: R,
    order: Pick<WaitingAction, 'action' | 'summary' | 'permission' | 'input'>,
    work: () => Promise<V>,
  ): Promise<V> {
    await rehearse(transaction, work);
    const { definition } = this.rules;
    const operation = `${operationPrefix(definition)}.${order.action}`;
    const approval = await this.kit.gates.park(transaction, {
      gate,
      operation,
      object: definition.type,
      row,
      ...order,
    });
    return new Parked(approval, this.rules.show(row)) as unknown as V; // callers of act() and update() pass it on as it is
  }

  private async isGated(row: R, action: A | null, input: Input): Promise<boolean> {
    return (await this.rules.decisions.gating?.applies?.(row, action, input)) ?? true;
  }

  private async factsOf(row: R, action: A | null, input: Input): Promise<Facts> {
    const more = (await this.rules.decisions.gating?.facts?.(row, action, input)) ?? {};
    return { ...this.rules.presenter.whole(row), ...input, ...more };
  }
}
