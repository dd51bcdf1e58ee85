import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import { Accepted } from '#libs/http/accepted.js';
import type { TransitionGate } from '#libs/kernel/lifecycle.js';
import { Problem } from '#libs/kernel/problem.js';
import type { CompleteGate } from '#libs/settings/gate.model.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { currentScope } from '#libs/tenancy/scope.js';
import type { ApprovalView } from './approval.js';
import { allHold, type Facts, isKnown, valueAt } from './gate-conditions.js';
import type { RecordRow } from '../types/record.entity.js';

/** Actor kinds that represent the platform itself. */
const BY_ITSELF: ReadonlySet<string> = new Set(['automation', 'system']);

/** The requirements of an approval, from a gate in the settings or from other code. */
export interface Demand extends Pick<
  CompleteGate,
  'key' | 'approvers' | 'quorum' | 'allowSelfApproval' | 'expiresInHours'
> {
  /** A second requirement for approvers, if two apply. */
  alsoApprovers?: CompleteGate['approvers'];
}

/** An action that waits for approval. */
export interface WaitingAction {
  gate: Demand;
  /** Operation id, e.g. `sales.deals.win`. */
  operation: string;
  action: string;
  /** What the action does, in the imperative: `Win a deal`. */
  summary: string;
  /** The permission that the action requires. */
  permission: string;
  /** Type key of its target. */
  object: string;
  row: Pick<RecordRow, 'id' | 'version' | 'name'>;
  input: Record<string, unknown>;
}

/** Stores approvals. */
export interface ApprovalDesk {
  /**
   * Stores an approval inside the transaction.
   * @throws Problem 409 `approval_pending` if there is one for the same action on the same record.
   */
  park(transaction: Transaction, waiting: WaitingAction): Promise<ApprovalView>;
}

/** The response of an action that waits for approval. */
export class Parked extends Accepted {
  constructor(
    readonly approval: ApprovalView,
    readonly record: object,
  ) {
    super();
  }
}

/** The tenant's gates. Checks them and parks actions that require approval. */
@Injectable()
export class Gates {
  private desk: ApprovalDesk | null = null;

  constructor(private readonly settings: TenantSettings) {}

  /** Called once at startup by the module that stores approvals. */
  deskIs(desk: ApprovalDesk): void {
    this.desk = desk;
  }

  /**
   * The gate at which an action must wait; null if it may pass. `facts` is called only if the tenant has set the gate.
   * Gates do not apply to actions of the platform itself.
   * @throws Problem 403 `gate_denied`.
   */
  async holding(key: string, facts: () => Facts | Promise<Facts>): Promise<CompleteGate | null> {
    const gate = await this.met(key);
    if (!gate || !allHold(gate.conditions, gate.conditions.length > 0 ? await facts() : {})) return null;
    return held(gate);
  }

  /**
   * Like {@link holding}, for an edit of a record that has already passed the gate. Takes the facts before and after
   * the edit. The gate applies again if the edit changes a field that the gate guards or that its conditions test.
   * Conditions on the input of the past action count as met.
   */
  async holdingAgain(
    { key, guards = [] }: Pick<TransitionGate, 'key' | 'guards'>,
    before: Facts,
    after: Facts,
  ): Promise<CompleteGate | null> {
    const gate = await this.met(key);
    if (!gate) return null;
    const conditions = gate.conditions.filter(({ field }) => isKnown(after, field));
    const asked = [...guards, ...conditions.map(({ field }) => field)];
    return differ(before, after, asked) && allHold(conditions, after) ? held(gate) : null;
  }

  /**
   * The tenant's gate with a key, regardless of its conditions; null if there is none or it does not apply to the
   * caller.
   */
  async met(key: string): Promise<CompleteGate | null> {
    if (BY_ITSELF.has(currentScope().actor.type)) return null;
    const { gates } = await this.settings.get();
    return gates.find((each) => each.key === key && each.enabled) ?? null;
  }

  /** Parks an action. @throws Problem 409 `approval_pending`. */
  park(transaction: Transaction, waiting: WaitingAction): Promise<ApprovalView> {
    if (!this.desk) throw new Error('Nobody keeps requests for approval in this process.');
    return this.desk.park(transaction, waiting);
  }
}

/** Whether one of the fields differs between the facts before and after an edit. */
export function differ(before: Facts, after: Facts, fields: readonly string[]): boolean {
  return fields.some((field) => !isDeepStrictEqual(valueAt(before, field), valueAt(after, field)));
}

/** The gate, if its action can be approved. @throws Problem 403 `gate_denied` otherwise. */
function held(gate: CompleteGate): CompleteGate {
  if (gate.effect === 'deny') throw gateDenied(gate.key);
  return gate;
}

export function gateDenied(key: string, detail = `The gate ${key} does not let this pass.`): Problem {
  return new Problem('gate_denied', detail, { extensions: { gate: key } });
}
