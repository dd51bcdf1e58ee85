import { Injectable } from '@nestjs/common';
import { callerOrNull, currentPrincipal, holds, requirePermission } from '#libs/auth/current-principal.js';
import { PERMISSION_NAMES } from '#libs/auth/permissions.js';
import { personOf } from '#libs/auth/principal.js';
import type { Transaction } from '#libs/database/transaction.js';
import { checkLifecycle } from '#libs/kernel/lifecycle.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Draft } from '#libs/resource/record.entity.js';
import { checkPrecondition } from '#libs/resource/precondition.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { Dismissal, Executor } from '#libs/resource/resource-registry.js';
import type { ActionHandler, Input } from '#libs/resource/resource-type.js';
import { ResourceService } from '#libs/resource/resource.service.js';
import type { Guard } from '#libs/resource/table.js';
import { ApprovalsService } from '#src/areas/home/approvals/approvals.service.js';
import { Spending } from '../budgets/spending.js';
import { FeedbackRepository } from '../feedback/feedback.repository.js';
import { approvalDigestOf } from './approval-digest.js';
import { JobContexts } from './job-contexts.js';
import type { ApproveAiJob } from './job-requests.dto.js';
import type { AiJobView } from './job.dto.js';
import { PRIORITIES } from './job.parts.js';
import type { AiJob } from './job.entity.js';
import { type AiJobAction, aiJobLifecycle, RUN_GATE } from './job.lifecycle.js';
import { aiJobResource } from './job.resource.js';
import { AiJobsRepository } from './ai-jobs.repository.js';
import { microsOf } from './micros.js';

/** What the platform notes with a move of a job. */
export type JobChanges = Partial<
  Pick<AiJob, 'actualCostMicros' | 'error' | 'output' | 'proposedActions' | 'steps' | 'usage'>
> & { reason?: string | null };

/** What the conditions of the gate can be about. */
export const GATE_FIELDS = [
  'kind',
  'provider',
  'model',
  'agentId',
  'autonomy',
  'areas',
  'personalData',
  'costCapMicros',
  'estimatedCostMicros',
] as const;

/** States in which money is reserved that nothing has been sent for. */
const UNSENT: ReadonlySet<string> = new Set(['queued', 'awaiting_approval', 'approved']);

/** AI jobs on their way through their states. */
@Injectable()
export class AiJobsService extends ResourceService<AiJob, AiJobView, AiJobAction> implements Executor {
  protected override readonly handlers: Record<AiJobAction, ActionHandler<AiJob>> = {
    require_approval: (_row, { approvalId }: { approvalId: string }) => ({ approvalId }),
    approve: (row, { costCapMicros }: { costCapMicros: number }) => this.lower(row, costCapMicros),
    reject: (row, changes: JobChanges) => this.end(row, 'cancel', changes),
    expire: (row, changes: JobChanges) => this.end(row, 'expire', changes),
    cancel: (row, changes: JobChanges) => this.end(row, 'cancel', changes),
    start: ({ attempts }) => ({ attempts: attempts + 1, startedAt: this.now() }),
    succeed: (row, changes: JobChanges) => this.end(row, 'cancel', changes),
    request_review: (_row, changes: JobChanges) => columnsOf(changes),
    review: (row, changes: JobChanges) => this.end(row, 'cancel', changes),
    fail: (row, changes: JobChanges) => this.end(row, 'cancel', changes),
    cap_reached: (row, changes: JobChanges) => this.end(row, 'cancel', changes),
    retry: (_row, changes: Partial<AiJob>) => changes,
  };

  constructor(
    kit: ResourceKit,
    protected override readonly repository: AiJobsRepository,
    private readonly approvals: ApprovalsService,
    private readonly spending: Spending,
    private readonly contexts: JobContexts,
    private readonly feedback: FeedbackRepository,
  ) {
    super(aiJobResource, kit, repository);
  }

  override onModuleInit(): void {
    checkLifecycle(aiJobResource.type, aiJobLifecycle, {
      permissions: new Set(PERMISSION_NAMES),
      handlers: new Set(Object.keys(this.handlers)),
    });
    this.kit.registry.declareEvents(aiJobResource);
    this.kit.registry.addCommands({ type: aiJobResource.type, gate: RUN_GATE, fields: GATE_FIELDS, executor: this });
  }

  override async get(id: string): Promise<AiJobView> {
    const row = await this.read(id);
    const [content, feedback] = await Promise.all([this.contexts.contentOf(row), this.feedback.ofJob(id)]);
    return { ...this.showToCaller(row), input: content && { ...content }, feedback };
  }

  /** A complete row of a new job. Takes its number, so it stands before the transaction. */
  async newRow(draft: Draft<AiJob>, envelope: Input): Promise<AiJob> {
    return this.complete(draft, await this.kit.numbers.next(aiJobResource.type), envelope);
  }

  /** Stores a new job. */
  store(transaction: Transaction, row: AiJob): AiJobView {
    const view = this.add(transaction, row);
    if (row.targets.length > 0) transaction.write(this.repository.addTargets(row.id, row.targets));
    return view;
  }

  /**
   * A job that the caller stops or has run again, locked: own ones, and with `ai-jobs:manage` those of anyone.
   * @throws Problem 404, 403.
   */
  async lockToManage(transaction: Transaction, id: string): Promise<AiJob> {
    const row = await this.lock(transaction, id, { permission: null });
    const permission = isOwn(row) ? 'ai-jobs:write' : 'ai-jobs:manage';
    requirePermission(permission, { object: aiJobResource.type });
    this.rights.require(row, permission);
    return row;
  }

  /** A job that the caller may review, locked. */
  lockToReview(transaction: Transaction, id: string): Promise<AiJob> {
    return this.lock(transaction, id, { permission: aiJobLifecycle.transitions.review.permission });
  }

  /** Moves a locked job on. @throws Problem 409 `invalid_transition`. */
  move(transaction: Transaction, row: AiJob, action: AiJobAction, input: object): Promise<AiJobView> {
    return this.transit(transaction, row, action, { ...input });
  }

  /** @throws Problem 409 `invalid_transition` unless the state of a job allows an action. */
  refuseUnless(row: AiJob, action: AiJobAction): void {
    this.refuseImpossible(row, action);
  }

  /** Approves in the caller's name, perhaps for less money. The approval that completes the quorum lets the job run. */
  async approve(id: string, { note = null, ...cap }: ApproveAiJob): Promise<AiJobView> {
    const lowered = microsOf(cap);
    return this.decide(id, 'approve', (approvalId, row) =>
      this.approvals.approve(approvalId, note, { narrow: (input) => narrowed(input, row, lowered) }),
    );
  }

  /** Rejects in the caller's name; one rejection is enough. */
  reject(id: string, reason: string): Promise<AiJobView> {
    return this.decide(id, 'reject', (approvalId) => this.approvals.reject(approvalId, reason, {}));
  }

  /** Cancels a job: for who asked for it, and with `ai-jobs:manage` for anyone. */
  async cancel(id: string, reason: string | null): Promise<AiJobView> {
    return this.unit(async (transaction) => {
      const row = await this.lockToManage(transaction, id);
      return this.transit(transaction, row, 'cancel', { reason });
    });
  }

  /** Lets an approved job run, as who asked for it. @throws Problem 409 `approval_changed`. */
  override async execute(action: AiJobAction, id: string, input: Input): Promise<AiJobView> {
    return this.unit(async (transaction) => {
      requirePermission('ai-jobs:write', { object: aiJobResource.type });
      const row = await this.lockPlainly(transaction, id);
      const digest = approvalDigestOf(row);
      if (row.approvalDigest !== digest || input['approvalDigest'] !== digest)
        throw new Problem('approval_changed', 'The job is not what approval was asked for any more.');
      return this.transit(transaction, row, action, { costCapMicros: input['costCapMicros'] });
    });
  }

  async dismissed(id: string, how: Dismissal, reason: string | null): Promise<void> {
    await this.unit(async (transaction) => {
      const row = await this.lockPlainly(transaction, id);
      if (row.status === 'awaiting_approval')
        await this.transit(transaction, row, how === 'fail' ? 'cancel' : how, { reason });
    });
  }

  /** Own jobs; with a right over the jobs of others these too, with the right to decide those that are decided about. */
  protected override guard(): Guard | null {
    const caller = callerOrNull();
    if (!caller || holds('ai-jobs:read-all') || holds('ai-jobs:manage')) return null;
    const person = personOf(caller);
    if (!holds('ai-jobs:approve')) return (add) => `t.requester_person = ${add(person)}`;
    return (add) =>
      `(t.requester_person = ${add(person)} or t.approval_id is not null or t.status = 'awaiting_review')`;
  }

  /** Who may see a job at all sees what it was given and came to; the kit keeps that out of events. */
  protected override isAboutCaller(): boolean {
    return true;
  }

  protected override derive(row: AiJob): Partial<AiJobView> {
    const { keyId: _key, apiKeyId: _lineage, ...requestedBy } = row.requester;
    const { output, proposedActions } = row;
    return { priority: PRIORITIES[row.priority]!, requestedBy, output: output && { ...output, proposedActions } };
  }

  protected override showToCaller(row: AiJob): AiJobView {
    const view = super.showToCaller(row);
    if (!callerOrNull() || isOwn(row) || holds('ai-jobs:manage')) return view;
    const open = view.allowedActions?.filter((action) => action !== 'cancel' && action !== 'retry');
    return { ...view, allowedActions: open ?? null };
  }

  private async decide(
    id: string,
    action: 'approve' | 'reject',
    decision: (approvalId: string, row: AiJob) => Promise<unknown>,
  ): Promise<AiJobView> {
    return this.unit(async (transaction) => {
      const row = await this.read(id);
      this.rights.require(row, aiJobLifecycle.transitions[action].permission);
      checkPrecondition(row.version);
      this.refuseImpossible(row, action);
      // The request is locked before the job, as where it is decided by way of the requests themselves.
      await decision(row.approvalId!, row);
      return this.showToCaller((await this.repository.lock(transaction, id, null, this.rights.marks()))!);
    });
  }

  /** A job that is over: nobody decides about it any more, and what was reserved for it is free, unless a worker has it. */
  private async end(row: AiJob, how: 'cancel' | 'expire', changes: JobChanges): Promise<Partial<AiJob>> {
    await this.unit(async (transaction) => {
      if (row.status === 'awaiting_approval')
        await this.approvals.withdraw(row.approvalId!, how, changes.reason ?? null);
      if (UNSENT.has(row.status) && row.reservationId !== null)
        await this.spending.release(transaction, row.reservationId);
    });
    return { ...columnsOf(changes), finishedAt: this.now() };
  }

  private async lower(row: AiJob, costCapMicros: number): Promise<Partial<AiJob>> {
    if (costCapMicros >= row.costCapMicros) return {};
    const reservedCostMicros = Math.min(row.reservedCostMicros, costCapMicros);
    if (reservedCostMicros < row.reservedCostMicros && row.reservationId !== null)
      await this.unit((transaction) => this.spending.lower(transaction, row.reservationId!, reservedCostMicros));
    return { costCapMicros, reservedCostMicros };
  }
}

/** Whether the caller asked for a job. */
export function isOwn({ requesterPerson }: AiJob): boolean {
  return requesterPerson === personOf(currentPrincipal());
}

/** Without what no column holds. */
function columnsOf({ reason: _, ...changes }: JobChanges): Partial<AiJob> {
  return changes;
}

/** The command of an approval with a lower cap. @throws Problem 400 for a cap above the one that was asked for. */
function narrowed(input: Input, { costCapMicros }: AiJob, lowered: number | null): Input {
  const known = Math.min(costCapMicros, Number(input['costCapMicros']));
  if (lowered !== null && lowered > known)
    throw Problem.validation([
      { pointer: '/costCapMicros', code: 'out_of_range', detail: `An approval can lower the cap of ${known} only.` },
    ]);
  return { ...input, costCapMicros: lowered ?? known };
}
