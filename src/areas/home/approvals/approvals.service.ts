import { Injectable, type OnModuleInit } from '@nestjs/common';
import { every } from '#libs/access/guard.js';
import { asCredential } from '#libs/auth/as-credential.js';
import { Credentials } from '#libs/auth/credentials.js';
import { currentPrincipal, requirePermission } from '#libs/auth/current-principal.js';
import { permissionNames } from '#libs/auth/permissions.js';
import { personOf } from '#libs/auth/principal.js';
import { Automations } from '#libs/automation/automations.js';
import { timerStatement } from '#libs/automation/timers.js';
import type { Transaction } from '#libs/database/transaction.js';
import { checkLifecycle, invalidTransition } from '#libs/kernel/lifecycle.js';
import { type ApprovalView, type Approval, approvals } from '#libs/resource/gates/approval.js';
import { type ApprovalAction, approvalLifecycle } from '#libs/resource/gates/approval.lifecycle.js';
import type { ApprovalFailure } from '#libs/resource/gates/approval.parts.js';
import type { MINE } from './approval.requests.js';
import { attempt } from '#libs/resource/records/attempt.js';
import type { Input } from '#libs/resource/types/decisions.js';
import type { ApprovalDesk, WaitingAction } from '#libs/resource/gates/gates.js';
import type { Guard } from '#libs/resource/lists/table.js';
import { Records } from '#libs/resource/records/records.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { type Dismissal, partOf } from '#libs/resource/resource-registry.js';
import type { RecordPage } from '#libs/resource/lists/record-page.js';
import { ABOUT, ApprovalDecisions, type Changes, pending } from './approval.decisions.js';
import { decisionOf, draftOf, warrantOf } from './approval-rows.js';
import { ApprovalsRepository } from './approvals.repository.js';
import { mineOf, standsFor } from './approvers.js';
import { type Absent, StandIns } from './stand-ins.js';

const EXPIRY = 'core.approval.expiry';

/** Lets the caller decide through the parked record, whose service has already checked visibility. */
export interface OwnDoor {
  /** Narrows the input of the command. */
  narrow?(input: Record<string, unknown>): Record<string, unknown>;
}

/** Requests for approval of actions parked by gates. */
@Injectable()
export class ApprovalsService implements ApprovalDesk, OnModuleInit {
  readonly records: Records<Approval, ApprovalView, ApprovalAction>;
  private readonly decisions: ApprovalDecisions;

  constructor(
    private readonly kit: ResourceKit,
    private readonly repository: ApprovalsRepository,
    private readonly credentials: Credentials,
    private readonly automations: Automations,
    private readonly standIns: StandIns,
  ) {
    this.decisions = new ApprovalDecisions(kit, standIns);
    this.records = new Records(approvals, kit, this.decisions, repository);
  }

  onModuleInit(): void {
    checkLifecycle(approvals.type, approvalLifecycle, {
      permissions: new Set(permissionNames()),
      handlers: new Set(Object.keys(this.decisions.actions)),
    });
    this.kit.registry.declareEvents(approvals);
    this.kit.registry.addPart({ ...partOf(approvals.type, this.records.table, ABOUT), ofConcerned: true });
    this.kit.gates.deskIs(this);
    this.automations.timer({
      kind: EXPIRY,
      onBehalf: { of: 'tenant', because: 'date' },
      fire: (id) => this.expire(id),
    });
  }

  async list({ mine, ...query }: Input): Promise<RecordPage<ApprovalView>> {
    await this.standIns.prepare();
    const narrowed = mine === undefined ? null : this.mine(mine as (typeof MINE)[number]);
    return this.records.list(query, every(this.decisions.guard(), narrowed));
  }

  /** Number of requests that wait for the caller's decision, as listed with `mine=to_decide`. */
  async countToDecide(): Promise<number> {
    await this.standIns.prepare();
    return this.repository.countOf(every(this.decisions.guard(), this.mine('to_decide')));
  }

  /** Whether a request waits for the caller's decision. */
  async awaitsCaller(id: string): Promise<boolean> {
    await this.standIns.prepare();
    return (await this.repository.find(id, this.mine('to_decide'))) !== null;
  }

  /** Number of pending requests per gate of the tenant, regardless of who may see them. */
  countByGate(): Promise<ReadonlyMap<string, number>> {
    return this.repository.waiting();
  }

  async park(transaction: Transaction, waiting: WaitingAction): Promise<ApprovalView> {
    const { gate, action, object, row } = waiting;
    const known = await this.repository.findPending(transaction, object, row.id, action);
    if (known !== null) throw pending(known);
    const manager =
      gate.approvers.managerOfRequester || gate.alsoApprovers?.managerOfRequester
        ? await this.repository.managerOf(transaction, currentPrincipal().membershipId)
        : null;
    const { rows } = this.records;
    const { reference } = await rows.nextNumber();
    const made = rows.complete(draftOf(waiting, manager, rows.now()), reference);
    transaction.write(timerStatement({ kind: EXPIRY, key: made.id, dueAt: made.expiresAt }));
    return this.records.rules.show(await rows.addPlainly(transaction, made));
  }

  /**
   * Approves on behalf of the caller. The approval that completes the quorum executes the action in the same
   * transaction.
   * @param door of the parked record, if the caller decides through it.
   */
  async approve(id: string, note: string | null, door: OwnDoor | null = null): Promise<ApprovalView> {
    return this.change(async (transaction) => {
      const { row, behalf } = await this.lockToDecide(transaction, id, 'approve', door);
      const decision = decisionOf({ decision: 'approve', note, behalf }, this.records.rows.now());
      const decisions = [...row.decisions, decision];
      const changes = { decisions, input: door?.narrow?.(row.input) ?? row.input };
      if (decisions.length < row.rule.quorum)
        return this.records.rows.apply(transaction, row, changes, 'updated', { reason: note, riskLevel: 'medium' });
      const approved = await this.records.transit(transaction, row, 'approve', { ...changes, reason: note });
      const failure = await this.failureOf(transaction, approved);
      return failure
        ? this.dismiss(transaction, approved, 'fail', { failure })
        : this.records.transit(transaction, approved, 'execute', {});
    });
  }

  /** Rejects on behalf of the caller; a single rejection closes the request. `door` as for {@link approve}. */
  async reject(id: string, reason: string, door: OwnDoor | null = null): Promise<ApprovalView> {
    return this.change(async (transaction) => {
      const { row, behalf } = await this.lockToDecide(transaction, id, 'reject', door);
      const decision = decisionOf({ decision: 'reject', note: reason, behalf }, this.records.rows.now());
      return this.dismiss(transaction, row, 'reject', { decisions: [...row.decisions, decision], reason });
    });
  }

  /** Cancels a request; allowed for the requester, and with `approvals:manage` for anyone. */
  async cancel(id: string, reason: string | null): Promise<ApprovalView> {
    return this.change(async (transaction) => {
      const visible = await this.repository.lock(transaction, id, this.decisions.guard());
      // The response must not reveal whether a request of somebody else exists.
      if (visible?.requesterPerson !== personOf(currentPrincipal())) requirePermission('approvals:manage');
      const row = await this.records.rows.lock(transaction, id);
      this.refuseExpired(row, 'cancel');
      return this.dismiss(transaction, row, 'cancel', { reason });
    });
  }

  /** Closes an undecided request because the parked record was settled otherwise. The record is not notified. */
  async withdraw(id: string, how: 'cancel' | 'expire', reason: string | null): Promise<void> {
    await this.records.unit(async (transaction) => {
      const row = await this.records.rows.lockPlainly(transaction, id);
      if (row.status === 'pending') await this.records.transit(transaction, row, how, { reason });
    });
  }

  /** Changes a request in one transaction; returns it as visible to the caller. */
  private async change(work: (transaction: Transaction) => Promise<Approval>): Promise<ApprovalView> {
    return this.records.unit(async (transaction) => this.records.rules.show(await work(transaction)));
  }

  private async expire(id: string): Promise<void> {
    await this.records.unit(async (transaction) => {
      const row = await this.repository.lock(transaction, id);
      if (row?.status === 'pending') await this.dismiss(transaction, row, 'expire', {});
    });
  }

  /** Closes a request without executing its action, and notifies the service of the parked record. */
  private async dismiss(
    transaction: Transaction,
    row: Approval,
    how: Dismissal,
    changes: Changes & { reason?: string | null },
  ): Promise<Approval> {
    const after = await this.records.transit(transaction, row, how, { ...changes });
    const reason = changes.reason ?? changes.failure?.code ?? null;
    await this.kit.registry.findExecutor(row.targetObject)?.dismissed?.(row.targetId, how, reason);
    return after;
  }

  /** Executes the approved action; returns the failure, or null on success. A failed action is rolled back. */
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
  ): Promise<{ row: Approval; behalf: Absent | null }> {
    const { rows, rules } = this.records;
    await this.standIns.prepare();
    const row = door ? await rows.lockPlainly(transaction, id) : await rows.lock(transaction, id);
    this.refuseExpired(row, action);
    if (row.status !== 'pending') throw rules.refusal(row, action);
    return { row, behalf: standsFor(row, currentPrincipal(), this.standIns.current()) };
  }

  private mine(which: (typeof MINE)[number]): Guard {
    return mineOf(currentPrincipal(), this.standIns.current(), which);
  }

  /** @throws Problem 409 when it has expired, even before its timer has fired. */
  private refuseExpired(row: Approval, action: string): void {
    if (row.status === 'pending' && this.decisions.isExpired(row))
      throw invalidTransition(action, { state: 'expired' }, []);
  }
}
