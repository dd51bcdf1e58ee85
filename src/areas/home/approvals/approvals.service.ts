import { Injectable } from '@nestjs/common';
import { callerOrNull, currentPrincipal, requirePermission } from '#libs/auth/current-principal.js';
import { asCredential } from '#libs/auth/as-credential.js';
import { Credentials } from '#libs/auth/credentials.js';
import { personOf, type Principal } from '#libs/auth/principal.js';
import { PERMISSION_NAMES } from '#libs/auth/permissions.js';
import { Automations } from '#libs/automation/automations.js';
import { timerStatement } from '#libs/automation/timers.js';
import type { Transaction } from '#libs/database/transaction.js';
import { checkLifecycle, invalidTransition } from '#libs/kernel/lifecycle.js';
import { Problem } from '#libs/kernel/problem.js';
import type { ApprovalFailure, ApprovalView } from '#libs/resource/approval.dto.js';
import type { ApprovalDesk, WaitingAction } from '#libs/resource/gates.js';
import { attempt } from '#libs/resource/attempt.js';
import { disclosing } from '#libs/resource/disclosure.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { Dismissal } from '#libs/resource/resource-registry.js';
import type { Page } from '#libs/resource/resource.repository.js';
import type { ActionHandler } from '#libs/resource/resource-type.js';
import { ResourceService } from '#libs/resource/resource.service.js';
import type { Guard } from '#libs/resource/table.js';
import type { Approval, KeptDecision } from './approval.entity.js';
import { type ApprovalAction, approvalLifecycle } from './approval.lifecycle.js';
import { approvalResource, type MINE } from './approval.resource.js';
import { ApprovalsRepository } from './approvals.repository.js';
import { decisionOf, draftOf, payloadFor, warrantOf } from './approval-rows.js';
import { mayDecide, mineOf, refuseToDecide, visibleTo } from './approvers.js';

const EXPIRY = 'core.approval.expiry';
const ABOUT = { type: 't.target_object', id: 't.target_id' };

/** How the caller decides by way of the record that waits, whose service has looked whether they may see it. */
export interface OwnDoor {
  /** What the command may do from now on, which is less than before. */
  narrow?(input: Record<string, unknown>): Record<string, unknown>;
}

interface Changes {
  decisions?: KeptDecision[];
  input?: Record<string, unknown>;
  failure?: ApprovalFailure;
}

/** Requests for approval: what gates have parked. */
@Injectable()
export class ApprovalsService extends ResourceService<Approval, ApprovalView, ApprovalAction> implements ApprovalDesk {
  protected override readonly handlers: Record<ApprovalAction, ActionHandler<Approval>> = {
    approve: (_row, { decisions, input }: Changes) => ({
      ...(decisions ? { decisions } : {}),
      ...(input ? { input } : {}),
    }),
    reject: (_row, { decisions }: Changes) => this.closed({ decisions }),
    cancel: () => this.closed({}),
    expire: () => this.closed({}),
    execute: () => this.closed({}),
    fail: (_row, { failure }: Changes) => this.closed({ failure }),
  };
  protected override readonly constraints = { approvals_pending_key: () => pending(null) };

  constructor(
    kit: ResourceKit,
    protected override readonly repository: ApprovalsRepository,
    private readonly credentials: Credentials,
    private readonly automations: Automations,
  ) {
    super(approvalResource, kit, repository);
  }

  override onModuleInit(): void {
    checkLifecycle(approvalResource.type, approvalLifecycle, {
      permissions: new Set(PERMISSION_NAMES),
      handlers: new Set(Object.keys(this.handlers)),
    });
    this.kit.registry.declareEvents(approvalResource);
    this.kit.gates.deskIs(this);
    this.automations.timer({ kind: EXPIRY, fire: (id) => this.expire(id) });
  }

  override async list({ mine, ...query }: Record<string, unknown>): Promise<Page<ApprovalView>> {
    const caller = currentPrincipal();
    const guards = [this.guard(), mine === undefined ? null : mineOf(caller, mine as (typeof MINE)[number])];
    const [first, ...others] = guards.filter((guard) => guard !== null);
    const within: Guard | null = first ? (add) => [first, ...others].map((guard) => guard(add)).join(' and ') : null;
    return super.list(query, within);
  }

  async park(transaction: Transaction, waiting: WaitingAction): Promise<ApprovalView> {
    const { gate, action, object, row } = waiting;
    const known = await this.repository.findPending(transaction, object, row.id, action);
    if (known !== null) throw pending(known);
    const manager =
      gate.approvers.managerOfRequester || gate.alsoApprovers?.managerOfRequester
        ? await this.repository.managerOf(transaction, currentPrincipal().membershipId)
        : null;
    const draft = draftOf(waiting, manager, this.now());
    const made = this.complete(draft, await this.kit.numbers.next(approvalResource.type));
    transaction.write(timerStatement({ kind: EXPIRY, key: made.id, dueAt: made.expiresAt }));
    return this.addPlainly(transaction, made);
  }

  /**
   * Approves in the caller's name. The approval that completes the quorum takes the action, in the same transaction.
   * @param door of the record that waits, if the caller comes by that.
   */
  async approve(id: string, note: string | null, door: OwnDoor | null = null): Promise<ApprovalView> {
    return this.unit(async (transaction) => {
      const row = await this.lockToDecide(transaction, id, 'approve', door);
      const decisions = [...row.decisions, decisionOf('approve', note, this.now())];
      const changes = { decisions, input: door?.narrow?.(row.input) ?? row.input };
      if (decisions.length < row.rule.quorum)
        return this.apply(transaction, row, changes, 'updated', { reason: note, riskLevel: 'medium' });
      await this.transit(transaction, row, 'approve', { ...changes, reason: note });
      const approved = (await this.repository.lock(transaction, id))!;
      const failure = await this.failureOf(transaction, approved);
      return failure
        ? this.dismiss(transaction, approved, 'fail', { failure })
        : this.transit(transaction, approved, 'execute', {});
    });
  }

  /** Rejects in the caller's name; one rejection is enough. `door` as for {@link approve}. */
  async reject(id: string, reason: string, door: OwnDoor | null = null): Promise<ApprovalView> {
    return this.unit(async (transaction) => {
      const row = await this.lockToDecide(transaction, id, 'reject', door);
      const decisions = [...row.decisions, decisionOf('reject', reason, this.now())];
      return this.dismiss(transaction, row, 'reject', { decisions, reason });
    });
  }

  /** Takes a request back: for who asked, and with `approvals:manage` for anyone. */
  async cancel(id: string, reason: string | null): Promise<ApprovalView> {
    return this.unit(async (transaction) => {
      const visible = await this.repository.lock(transaction, id, this.guard());
      // Whether there is a request that is not theirs is nothing that the answer may tell.
      if (visible?.requesterPerson !== personOf(currentPrincipal())) requirePermission('approvals:manage');
      const row = await this.lock(transaction, id);
      this.refuseExpired(row, 'cancel');
      return this.dismiss(transaction, row, 'cancel', { reason });
    });
  }

  /** Closes a request, if nobody has decided it, because what waited has gone another way; it is not told. */
  async withdraw(id: string, how: 'cancel' | 'expire', reason: string | null): Promise<void> {
    await this.unit(async (transaction) => {
      const row = await this.lockPlainly(transaction, id);
      if (row.status === 'pending') await this.transit(transaction, row, how, { reason });
    });
  }

  protected override guard(): Guard | null {
    const caller = callerOrNull();
    return caller && visibleTo(caller, disclosing(this.kit.registry, ABOUT));
  }

  /** {@link derive} decides for each caller whether the payload is there; the kit keeps it out of events. */
  protected override isAboutCaller(): boolean {
    return true;
  }

  protected override derive(row: Approval): Partial<ApprovalView> {
    const { keyId: _key, permission: _permission, ...requestedBy } = row.requester;
    const { quorum, allowSelfApproval, also: alsoApprovers = null, ...approvers } = row.rule;
    const caller = callerOrNull();
    const { restricted = [] } = this.kit.registry.ofType(row.targetObject)?.definition ?? {};
    const payload = caller && payloadFor(row, restricted, caller);
    return {
      target: { object: row.targetObject, id: row.targetId, version: row.targetVersion, name: row.targetName },
      summary: row.name,
      requestedBy,
      approvers,
      alsoApprovers,
      quorum,
      allowSelfApproval,
      decisions: row.decisions.map(({ person: _person, ...decision }) => decision),
      ...(payload ? { payload } : {}),
    };
  }

  protected override showToCaller(row: Approval): ApprovalView {
    return { ...super.showToCaller(row), allowedActions: this.openTo(row, callerOrNull()) };
  }

  private openTo(row: Approval, caller: Principal | null): string[] {
    if (!caller || row.status !== 'pending' || this.isExpired(row)) return [];
    const decides = mayDecide(row, caller) ? ['approve', 'reject'] : [];
    const cancels =
      personOf(caller) === row.requesterPerson || caller.permissions.reach('approvals:manage') === 'tenant';
    return cancels ? [...decides, 'cancel'] : decides;
  }

  private async expire(id: string): Promise<void> {
    await this.unit(async (transaction) => {
      const row = await this.repository.lock(transaction, id);
      if (row?.status === 'pending') await this.dismiss(transaction, row, 'expire', {});
    });
  }

  /** Ends a request whose action is not taken, and tells who keeps what waited. */
  private async dismiss(
    transaction: Transaction,
    row: Approval,
    how: Dismissal,
    changes: Changes & { reason?: string | null },
  ): Promise<ApprovalView> {
    const view = await this.transit(transaction, row, how, { ...changes });
    const reason = changes.reason ?? changes.failure?.code ?? null;
    await this.kit.registry.findExecutor(row.targetObject)?.dismissed?.(row.targetId, how, reason);
    return view;
  }

  /** Takes the approved action; answers why it could not be taken, null when it was. It leaves nothing behind then. */
  private failureOf(transaction: Transaction, approval: Approval): Promise<ApprovalFailure | null> {
    const { requester, targetObject, targetId, targetVersion, action, input } = approval;
    const service = this.kit.registry.executorOf(targetObject);
    const execute = () => service.execute(action, targetId, input, targetVersion);
    return attempt(
      transaction,
      (error) => service.translate(error),
      () => asCredential(this.credentials, { keyId: requester.keyId, warrant: warrantOf(approval) }, execute),
    );
  }

  private async lockToDecide(
    transaction: Transaction,
    id: string,
    action: 'approve' | 'reject',
    door: OwnDoor | null,
  ): Promise<Approval> {
    const row = door ? await this.lockPlainly(transaction, id) : await this.lock(transaction, id);
    this.refuseExpired(row, action);
    if (row.status !== 'pending') throw this.refusal(row, action);
    refuseToDecide(row, currentPrincipal());
    return row;
  }

  /** @throws Problem 409 when its time is over, also before the timer that says so has fired. */
  private refuseExpired(row: Approval, action: string): void {
    if (row.status === 'pending' && this.isExpired(row)) throw invalidTransition(action, { state: 'expired' }, []);
  }

  private isExpired({ expiresAt }: Approval): boolean {
    return Date.parse(expiresAt) <= this.kit.clock.nowMs();
  }

  private closed({
    decisions,
    failure,
  }: {
    decisions?: KeptDecision[] | undefined;
    failure?: ApprovalFailure | undefined;
  }) {
    return {
      closedAt: this.now(),
      ...(decisions ? { decisions } : {}),
      ...(failure ? { failure } : {}),
    };
  }
}

function pending(approvalId: string | null): Problem {
  return new Problem('approval_pending', 'The action waits for approval already.', { extensions: { approvalId } });
}
