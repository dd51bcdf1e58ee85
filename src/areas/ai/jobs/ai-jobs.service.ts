import { Injectable, type OnModuleInit } from '@nestjs/common';
import { every } from '#libs/access/guard.js';
import { requirePermission } from '#libs/auth/current-principal.js';
import { permissionNames } from '#libs/auth/permissions.js';
import type { Transaction } from '#libs/database/transaction.js';
import { checkLifecycle } from '#libs/kernel/lifecycle.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Change, Decisions, Input } from '#libs/resource/types/decisions.js';
import { checkPrecondition } from '#libs/resource/records/precondition.js';
import type { Draft } from '#libs/resource/types/record.entity.js';
import { Records } from '#libs/resource/records/records.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { Dismissal, Executor } from '#libs/resource/resource-registry.js';
import type { Guard } from '#libs/resource/lists/table.js';
import { ApprovalsService } from '#src/areas/home/approvals/approvals.service.js';
import { Spending } from '../budgets/spending.js';
import { FeedbackRepository } from '../feedback/feedback.repository.js';
import { AiJobsRepository } from './ai-jobs.repository.js';
import { approvalDigestOf } from './approval-digest.js';
import { JobContexts } from './job-contexts.js';
import type { ApproveAiJob } from './job-requests.dto.js';
import type { AiJob, ShownAiJob } from './job.js';
import { type AiJobAction, aiJobLifecycle, RUN_GATE } from './job.lifecycle.js';
import { aiJobs } from './job.resource.js';
import { derived, isOwn, targetsOf, visibleJobs, withKnownTargets, withOpenActions } from './job.visibility.js';
import { microsOf } from './micros.js';

/** Columns that the platform sets with a state change of a job. */
export type JobChanges = Partial<
  Pick<AiJob, 'actualCostMicros' | 'error' | 'output' | 'proposedActions' | 'steps' | 'usage'>
> & { reason?: string | null };

/** Facts for the conditions of the gate. */
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

/** States with a reservation in which nothing has been sent yet. */
const UNSENT: ReadonlySet<string> = new Set(['queued', 'awaiting_approval', 'approved']);

/** State changes of AI jobs. */
@Injectable()
export class AiJobsService implements Decisions<AiJob, ShownAiJob, AiJobAction>, Executor, OnModuleInit {
  readonly actions = {
    require_approval: (_row: AiJob, { approvalId }: { approvalId: string }) => ({ approvalId }),
    approve: (row: AiJob, { costCapMicros }: { costCapMicros: number }) => this.lower(row, costCapMicros),
    reject: (row: AiJob, changes: JobChanges) => this.end(row, 'cancel', changes),
    expire: (row: AiJob, changes: JobChanges) => this.end(row, 'expire', changes),
    cancel: (row: AiJob, changes: JobChanges) => this.end(row, 'cancel', changes),
    start: ({ attempts }: AiJob) => ({ attempts: attempts + 1, startedAt: this.records.rows.now() }),
    succeed: (row: AiJob, changes: JobChanges) => this.end(row, 'cancel', changes),
    request_review: (_row: AiJob, changes: JobChanges) => columnsOf(changes),
    review: (row: AiJob, changes: JobChanges) => this.end(row, 'cancel', changes),
    fail: (row: AiJob, changes: JobChanges) => this.end(row, 'cancel', changes),
    cap_reached: (row: AiJob, changes: JobChanges) => this.end(row, 'cancel', changes),
    retry: (_row: AiJob, changes: Partial<AiJob>) => changes,
  };
  readonly records: Records<AiJob, ShownAiJob, AiJobAction>;

  constructor(
    private readonly kit: ResourceKit,
    private readonly repository: AiJobsRepository,
    private readonly approvals: ApprovalsService,
    private readonly spending: Spending,
    private readonly contexts: JobContexts,
    private readonly feedback: FeedbackRepository,
  ) {
    this.records = new Records(aiJobs, kit, this, repository);
  }

  onModuleInit(): void {
    checkLifecycle(aiJobs.type, aiJobLifecycle, {
      permissions: new Set(permissionNames()),
      handlers: new Set(Object.keys(this.actions)),
    });
    this.kit.registry.declareEvents(aiJobs);
    this.kit.registry.addPart({ type: aiJobs.type, recordsOf: targetsOf, ofConcerned: true });
    this.kit.registry.addCommands({ type: aiJobs.type, gate: RUN_GATE, fields: GATE_FIELDS, executor: this });
  }

  /** A complete row of a new job. Allocates its number, so call it before the transaction. */
  async newRow(draft: Draft<AiJob>, envelope: Input): Promise<AiJob> {
    const { reference } = await this.records.rows.nextNumber();
    return this.records.rows.complete(draft, reference, envelope);
  }

  /** Stores a new job. */
  async store(transaction: Transaction, row: AiJob): Promise<ShownAiJob> {
    return this.records.rules.show(await this.records.rows.add(transaction, row));
  }

  /**
   * A job that the caller cancels or retries, locked: own jobs, or any job with `ai-jobs:manage`.
   * @throws Problem 404, 403.
   */
  async lockToManage(transaction: Transaction, id: string): Promise<AiJob> {
    const row = await this.records.rows.lock(transaction, id, { permission: null });
    const permission = isOwn(row) ? 'ai-jobs:write' : 'ai-jobs:manage';
    requirePermission(permission, { object: aiJobs.type });
    this.records.rules.rights.require(row, permission);
    return row;
  }

  /** A job that the caller may review, locked. */
  lockToReview(transaction: Transaction, id: string): Promise<AiJob> {
    return this.records.rows.lock(transaction, id, { permission: aiJobLifecycle.transitions.review.permission });
  }

  /** Changes the state of a locked job. @throws Problem 409 `invalid_transition`. */
  async move(transaction: Transaction, row: AiJob, action: AiJobAction, input: object): Promise<ShownAiJob> {
    return this.records.rules.show(await this.records.transit(transaction, row, action, { ...input }));
  }

  /** Approves as the caller, optionally with a lower cap. The approval that completes the quorum lets the job run. */
  async approve(id: string, { note = null, ...cap }: ApproveAiJob): Promise<ShownAiJob> {
    const lowered = microsOf(cap);
    return this.decide(id, 'approve', (approvalId, row) =>
      this.approvals.approve(approvalId, note, { narrow: (input) => narrowed(input, row, lowered) }),
    );
  }

  /** Rejects as the caller; one rejection is enough. */
  reject(id: string, reason: string): Promise<ShownAiJob> {
    return this.decide(id, 'reject', (approvalId) => this.approvals.reject(approvalId, reason, {}));
  }

  /** Cancels a job, as its requester or with `ai-jobs:manage`. */
  async cancel(id: string, reason: string | null): Promise<ShownAiJob> {
    return this.records.unit(async (transaction) => {
      const row = await this.lockToManage(transaction, id);
      return this.move(transaction, row, 'cancel', { reason });
    });
  }

  /** Lets an approved job run, as its requester. @throws Problem 409 `approval_changed`. */
  async execute(action: AiJobAction, id: string, input: Input): Promise<ShownAiJob> {
    return this.records.unit(async (transaction) => {
      requirePermission('ai-jobs:write', { object: aiJobs.type });
      const row = await this.records.rows.lockPlainly(transaction, id);
      const digest = approvalDigestOf(row);
      if (row.approvalDigest !== digest || input['approvalDigest'] !== digest)
        throw new Problem('approval_changed', 'The job is not what approval was asked for any more.');
      return this.move(transaction, row, action, { costCapMicros: input['costCapMicros'] });
    });
  }

  async dismissed(id: string, how: Dismissal, reason: string | null): Promise<void> {
    await this.records.unit(async (transaction) => {
      const row = await this.records.rows.lockPlainly(transaction, id);
      if (row.status === 'awaiting_approval')
        await this.records.transit(transaction, row, how === 'fail' ? 'cancel' : how, { reason });
    });
  }

  translate(error: unknown): unknown {
    return this.records.translate(error);
  }

  guard(): Guard | null {
    return every(visibleJobs(), withKnownTargets(this.kit.registry));
  }

  /** All callers who may see a job see its input and output. The kit omits them from events. */
  isAboutCaller(): boolean {
    return true;
  }

  derive(row: AiJob): Partial<ShownAiJob> {
    return derived(row);
  }

  present(view: ShownAiJob, row: AiJob): ShownAiJob {
    return withOpenActions(view, row);
  }

  async detail(view: ShownAiJob, row: AiJob): Promise<ShownAiJob> {
    const [content, feedback] = await Promise.all([this.contexts.contentOf(row), this.feedback.ofJob(row.id)]);
    return { ...view, input: content && { ...content }, feedback };
  }

  saved(transaction: Transaction, { before, after: { id, targets } }: Change<AiJob>): void {
    if (!before && targets.length > 0) transaction.write(this.repository.addTargets(id, targets));
  }

  private async decide(
    id: string,
    action: 'approve' | 'reject',
    decision: (approvalId: string, row: AiJob) => Promise<unknown>,
  ): Promise<ShownAiJob> {
    return this.records.unit(async (transaction) => {
      const { rights } = this.records.rules;
      const row = await this.records.read(id);
      rights.require(row, aiJobLifecycle.transitions[action].permission);
      checkPrecondition(row.version);
      this.records.rules.refuseImpossible(row, action);
      // Locks the approval before the job, in the same order as decisions through the approvals API.
      await decision(row.approvalId!, row);
      return this.records.rules.show((await this.repository.lock(transaction, id, null, rights.marks()))!);
    });
  }

  /** Ends a job: closes its approval, and releases its reservation unless a worker has the job. */
  private async end(row: AiJob, how: 'cancel' | 'expire', changes: JobChanges): Promise<Partial<AiJob>> {
    await this.records.unit(async (transaction) => {
      if (row.status === 'awaiting_approval')
        await this.approvals.withdraw(row.approvalId!, how, changes.reason ?? null);
      if (UNSENT.has(row.status) && row.reservationId !== null)
        await this.spending.release(transaction, row.reservationId);
    });
    return { ...columnsOf(changes), finishedAt: this.records.rows.now() };
  }

  private async lower(row: AiJob, costCapMicros: number): Promise<Partial<AiJob>> {
    if (costCapMicros >= row.costCapMicros) return {};
    const reservedCostMicros = Math.min(row.reservedCostMicros, costCapMicros);
    if (reservedCostMicros < row.reservedCostMicros && row.reservationId !== null)
      await this.records.unit((transaction) =>
        this.spending.lower(transaction, row.reservationId!, reservedCostMicros),
      );
    return { costCapMicros, reservedCostMicros };
  }
}

/** Omits members that are not columns. */
function columnsOf({ reason: _, ...changes }: JobChanges): Partial<AiJob> {
  return changes;
}

/** The command of an approval with a lower cap. @throws Problem 400 if the cap is above the requested one. */
function narrowed(input: Input, { costCapMicros }: AiJob, lowered: number | null): Input {
  const known = Math.min(costCapMicros, Number(input['costCapMicros']));
  if (lowered !== null && lowered > known)
    throw Problem.validation([
      { pointer: '/costCapMicros', code: 'out_of_range', detail: `An approval can lower the cap of ${known} only.` },
    ]);
  return { ...input, costCapMicros: lowered ?? known };
}
