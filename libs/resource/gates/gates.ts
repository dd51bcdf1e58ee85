import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import { Accepted } from '#libs/http/accepted.js';
import type { TransitionGate } from '#libs/kernel/lifecycle.js';
import { Problem } from '#libs/kernel/problem.js';
import type { CompleteGate } from '#libs/settings/gate.model.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { currentScope } from '#libs/tenancy/scope.js';
import type { ApprovalView } from './approval.dto.js';
import { allHold, type Facts, isKnown, valueAt } from './gate-conditions.js';
import type { RecordRow } from '../types/record.entity.js';

/** Kinds of actors that are the platform itself. */
const BY_ITSELF: ReadonlySet<string> = new Set(['automation', 'system']);

/** What is demanded of an approval: by a gate of the settings, or by who asks for approval on grounds of its own. */
export interface Demand extends Pick<
  CompleteGate,
  'key' | 'approvers' | 'quorum' | 'allowSelfApproval' | 'expiresInHours'
> {
  /** What whoever decides has to be besides, where two demands meet. */
  alsoApprovers?: CompleteGate['approvers'];
}

/** An action that waits for approval. */
export interface WaitingAction {
  gate: Demand;
  /** Operation id, e.g. `sales.deals.win`. */
  operation: string;
  action: string;
  /** What the action does, as an order: `Win a deal`. */
  summary: string;
  /** Permission that it needs. */
  permission: string;
  /** Type key of what it is taken on. */
  object: string;
  row: Pick<RecordRow, 'id' | 'version' | 'name'>;
  input: Record<string, unknown>;
}

/** Keeps requests for approval. */
export interface ApprovalDesk {
  /**
   * Stores a request inside the transaction.
   * @throws Problem 409 `approval_pending` when there is one for the same action on the same record.
   */
  park(transaction: Transaction, waiting: WaitingAction): Promise<ApprovalView>;
}

/** The answer of an action that waits for approval. */
export class Parked extends Accepted {
  constructor(
    readonly approval: ApprovalView,
    readonly record: object,
  ) {
    super();
  }
}

/** The tenant's policy checks in front of actions, and the desk that parks what needs approval. */
@Injectable()
export class Gates {
  private desk: ApprovalDesk | null = null;

  constructor(private readonly settings: TenantSettings) {}

  /** Called once, at start, by who keeps the requests. */
  deskIs(desk: ApprovalDesk): void {
    this.desk = desk;
  }

  /**
   * The gate that an action has to wait at; null when it may pass. `facts` is only asked where the tenant has that gate.
   * What the platform does by itself meets no gates.
   * @throws Problem 403 `gate_denied`.
   */
  async holding(key: string, facts: () => Facts | Promise<Facts>): Promise<CompleteGate | null> {
    const gate = await this.met(key);
    if (!gate || !allHold(gate.conditions, gate.conditions.length > 0 ? await facts() : {})) return null;
    return held(gate);
  }

  /**
   * As {@link holding} for an edit of what has passed the gate, with the facts before and after: it is asked again where
   * something changes that it guards or that its conditions are about. A condition on the input of the action, which is
   * over, counts as met.
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
    const isCrossed = asked.some((field) => !isDeepStrictEqual(valueAt(before, field), valueAt(after, field)));
    return isCrossed && allHold(conditions, after) ? held(gate) : null;
  }

  /** The gate of the tenant's that the caller meets under a key, whatever its conditions; null when there is none. */
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

/** A gate that holds something, where it can be approved. @throws Problem 403 `gate_denied` where it cannot. */
function held(gate: CompleteGate): CompleteGate {
  if (gate.effect === 'deny') throw gateDenied(gate.key);
  return gate;
}

export function gateDenied(key: string, detail = `The gate ${key} does not let this pass.`): Problem {
  return new Problem('gate_denied', detail, { extensions: { gate: key } });
}
