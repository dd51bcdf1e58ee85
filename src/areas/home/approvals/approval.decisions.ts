import { callerOrNull } from '#libs/auth/current-principal.js';
import { personOf, type Principal } from '#libs/auth/principal.js';
import { Problem } from '#libs/kernel/problem.js';
import type { ApprovalView, Approval } from '#libs/resource/gates/approval.js';
import type { ApprovalAction } from '#libs/resource/gates/approval.lifecycle.js';
import type { ApprovalFailure, KeptDecision } from '#libs/resource/gates/approval.parts.js';
import type { Decisions } from '#libs/resource/types/decisions.js';
import { aboutKnownRecord, disclosing, typesInScope } from '#libs/resource/access/disclosure.js';
import type { ResourceKit } from '#libs/resource/resource-kit.js';
import type { Guard } from '#libs/resource/lists/table.js';
import { payloadFor } from './approval-rows.js';
import { mayDecide, visibleTo } from './approvers.js';
import type { StandIns } from './stand-ins.js';

/** The record that a row `t` of requests is about. */
export const ABOUT = { type: 't.target_object', id: 't.target_id' };

/** Data recorded by the transitions of a request. */
export interface Changes {
  decisions?: KeptDecision[];
  input?: Record<string, unknown>;
  failure?: ApprovalFailure;
}

/** Visibility of requests for approval, and the effects of their transitions. */
export class ApprovalDecisions implements Decisions<Approval, ApprovalView, ApprovalAction> {
  readonly actions = {
    approve: (_row: Approval, { decisions, input }: Changes) => ({
      ...(decisions ? { decisions } : {}),
      ...(input ? { input } : {}),
    }),
    reject: (_row: Approval, { decisions }: Changes) => this.closed(decisions ? { decisions } : {}),
    cancel: () => this.closed(),
    expire: () => this.closed(),
    execute: () => this.closed(),
    fail: (_row: Approval, { failure }: Changes) => this.closed(failure ? { failure } : {}),
  };
  readonly constraints = { approvals_pending_key: () => pending(null) };

  constructor(
    private readonly kit: ResourceKit,
    private readonly standIns: StandIns,
  ) {}

  ready(): Promise<void> {
    return this.standIns.prepare();
  }

  guard(): Guard | null {
    const caller = callerOrNull();
    if (!caller) return null;
    const { registry } = this.kit;
    const known = caller.authority.confinedTo === null ? disclosing : aboutKnownRecord;
    const sight = { disclosed: known(registry, ABOUT), typesInScope: typesInScope(registry) };
    return visibleTo(caller, this.standIns.current(), sight);
  }

  /** {@link derive} decides per caller whether to include the payload; the kit keeps it out of events. */
  isAboutCaller(): boolean {
    return true;
  }

  derive(row: Approval): Partial<ApprovalView> {
    const { keyId: _key, permission: _permission, ...requestedBy } = row.requester;
    const { quorum, allowSelfApproval, also: alsoApprovers = null, ...approvers } = row.rule;
    const caller = callerOrNull();
    const payload = caller && payloadFor(row, this.kit.registry.ofType(row.targetObject)?.definition, caller);
    return {
      target: { object: row.targetObject, id: row.targetId, version: row.targetVersion, name: row.targetName },
      summary: row.name,
      requestedBy,
      approvers,
      alsoApprovers,
      quorum,
      allowSelfApproval,
      decisions: row.decisions.map(({ person: _person, onBehalfOf = null, ...decision }) => ({
        ...decision,
        onBehalfOf,
      })),
      ...(payload ? { payload } : {}),
    };
  }

  /** Allowed actions depend on the rule of the request, not only on permissions. */
  present(view: ApprovalView, row: Approval): ApprovalView {
    const caller = callerOrNull();
    return caller && view.allowedActions ? { ...view, allowedActions: this.openTo(row, caller) } : view;
  }

  isExpired({ expiresAt }: Approval): boolean {
    return Date.parse(expiresAt) <= this.kit.clock.nowMs();
  }

  private openTo(row: Approval, caller: Principal): string[] {
    if (row.status !== 'pending' || this.isExpired(row)) return [];
    const decides = mayDecide(row, caller, this.standIns.current()) ? ['approve', 'reject'] : [];
    const cancels =
      personOf(caller) === row.requesterPerson || caller.permissions.reach('approvals:manage') === 'tenant';
    return cancels ? [...decides, 'cancel'] : decides;
  }

  private closed(changes: Pick<Changes, 'decisions' | 'failure'> = {}): Partial<Approval> {
    return { closedAt: this.kit.now(), ...changes };
  }
}

/** @param approvalId of the existing request, if known */
export function pending(approvalId: string | null): Problem {
  return new Problem('approval_pending', 'The action is already waiting for approval.', { extensions: { approvalId } });
}
