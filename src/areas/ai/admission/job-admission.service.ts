import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { holdCurrency } from '#libs/database/hold-currency.js';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { MINUTE_MS } from '#libs/kernel/durations.js';
import { Problem } from '#libs/kernel/problem.js';
import { Gates } from '#libs/resource/gates/gates.js';
import { nextVersion } from '#libs/resource/records/next-version.js';
import { Spending } from '../budgets/spending.js';
import { AiDecisions, denied } from '../policy/ai-decisions.js';
import { AiPauses } from '../policy/ai-pauses.js';
import { Prompts } from '../prompts/prompts.js';
import { dataScopeOf } from '../tools/data-scope.js';
import { JobContexts } from '../jobs/job-contexts.js';
import { invalid, JobMaterials, type Material } from './job-materials.service.js';
import { JobPlans, type Plan } from './job-plans.service.js';
import { decidedOf, draftOf, requesterNow, scopesOf } from './job-rows.js';
import type { CreateAiJob, RetryAiJob } from '../jobs/job-requests.dto.js';
import type { AiJob, ShownAiJob } from '../jobs/job.js';
import { aiJobLifecycle } from '../jobs/job.lifecycle.js';
import { aiJobs } from '../jobs/job.resource.js';
import { AiJobsRepository } from '../jobs/ai-jobs.repository.js';
import { AiJobsService } from '../jobs/ai-jobs.service.js';
import { isOwn } from '../jobs/job.visibility.js';
import { microsOf } from '../jobs/micros.js';
import { Requesters } from '../tools/requesters.js';
import { Targets } from '../tools/targets.js';

/** How long the reservation of a waiting job without a deadline is kept. */
const PATIENCE_MS = 7 * 24 * 60 * MINUTE_MS;
const OVER_CAP = {
  code: 'cost_cap_reached',
  message: 'Even the shortest answer could cost more than the job may.',
};

/** Admits jobs: decides about them, reserves their cost, or lets them wait for approval. */
@Injectable()
export class JobAdmissionService {
  constructor(
    private readonly jobs: AiJobsService,
    private readonly repository: AiJobsRepository,
    private readonly materials: JobMaterials,
    private readonly plans: JobPlans,
    private readonly contexts: JobContexts,
    private readonly requesters: Requesters,
    private readonly targets: Targets,
    private readonly spending: Spending,
    private readonly decisions: AiDecisions,
    private readonly pauses: AiPauses,
    private readonly prompts: Prompts,
    private readonly gates: Gates,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** @throws Problem 400, 403 `ai_policy_denied`, 409, 413, 423 `ai_paused`, 429. */
  async create(request: CreateAiJob): Promise<ShownAiJob> {
    await this.pauses.refuse();
    this.refusePast(request.deadlineAt ?? null);
    const { material, plan } = await this.planOf(request);
    await this.refuseDenied(plan, null);
    const draft = draftOf(request, material, plan, this.clock.now().toISOString());
    const row = await this.jobs.newRow(draft, { workspaceId: request.workspaceId ?? null });
    Object.assign(row, await this.contexts.seal(row.id, plan.content, plan.places));
    return this.spending.admitted(() =>
      this.jobs.records.unit(async (transaction) => {
        await this.pauses.refuse();
        await this.refuseRate(transaction, plan, row.createdAt);
        const view = await this.jobs.store(transaction, row);
        if (material.prompt) {
          const { promptId, version } = material.prompt;
          this.prompts.use(transaction, { promptId, version, jobId: row.id });
        }
        return (await this.admit(transaction, row, plan, material.agent)) ?? view;
      }),
    );
  }

  /** Retries a job with its stored input, perhaps with a higher cap. @throws Problem as {@link create}, 404, 410. */
  async retry(id: string, request: RetryAiJob): Promise<ShownAiJob> {
    await this.pauses.refuse();
    const known = await this.jobs.records.read(id);
    this.jobs.records.rules.refuseImpossible(known, 'retry');
    const now = this.clock.now().toISOString();
    const deadlineAt = known.deadlineAt !== null && known.deadlineAt > now ? known.deadlineAt : null;
    const agent = await this.requesters.agentOf(known);
    const content = await this.contexts.contentOf(known);
    if (!content) throw new Problem('input_not_kept', 'The input of the job is no longer stored.');
    // A job keeps its requester, whoever retries it.
    const asRequester = <T>(work: () => Promise<T>) => (isOwn(known) ? work() : this.requesters.as(known, work));
    const plan = await asRequester(async () => {
      await this.targets.read(known.targets, dataScopeOf(agent, known.personalData));
      const { kind, targets, provider, model, actualCostMicros: spentMicros, piiFindings } = known;
      return this.plans.plan({
        ...{ kind, agent, content, targets, provider, model, spentMicros },
        maxOutputTokens: null,
        capMicros: microsOf(request) ?? known.approvedCapMicros,
        known: piiFindings,
        approvalRequested: known.approval === 'required',
      });
    });
    refuseMaskAnew(known, plan);
    await this.refuseDenied(plan, id);
    return this.spending.admitted(() =>
      this.jobs.records.unit(async (transaction) => {
        await this.pauses.refuse();
        await this.refuseRate(transaction, plan, now);
        const row = await this.jobs.lockToManage(transaction, id);
        const requester = isOwn(row) ? requesterNow() : row.requester;
        const changes = { ...decidedOf(row, plan, now), requester, deadlineAt };
        const again = nextVersion(row, { ...changes, status: aiJobLifecycle.initial });
        const view = await this.jobs.move(transaction, row, 'retry', changes);
        return (await asRequester(() => this.admit(transaction, again, plan, agent))) ?? view;
      }),
    );
  }

  /** The materials of a requested job, and the decision about it. Writes nothing. */
  async planOf(request: CreateAiJob): Promise<{ material: Material; plan: Plan }> {
    const { workspaceId = null } = request;
    if (workspaceId !== null && !(await this.repository.hasWorkspace(workspaceId)))
      throw invalid('/workspaceId', 'unknown_reference', 'There is no such record.');
    const material = await this.materials.gather(request);
    const { kind, agent, input, instructions, records } = material;
    const plan = await this.plans.plan({
      kind: kind.key,
      agent,
      content: { input, instructions, records },
      targets: request.targets ?? [],
      provider: request.provider ?? agent?.provider ?? null,
      model: request.model ?? (request.provider == null ? (agent?.model ?? null) : null),
      maxOutputTokens: request.maxOutputTokens ?? null,
      capMicros: microsOf(request),
      spentMicros: 0,
      known: null,
      approvalRequested: request.approval === 'required',
    });
    return { material, plan };
  }

  /**
   * Reserves the cost of a stored job. Ends the job if nothing fits its cap; requests approval if needed. Null if the
   * job stays queued.
   */
  private async admit(
    transaction: Transaction,
    row: AiJob,
    { quote, verdict, policyVersion, capMicros }: Plan,
    agent: Material['agent'],
  ): Promise<ShownAiJob | null> {
    const { rules, outcome, facts, demand } = verdict;
    this.decisions.record(transaction, { jobId: row.id, decision: { outcome, rules }, policyVersion, facts });
    if (!quote.fits) return this.jobs.move(transaction, row, 'cap_reached', { error: OVER_CAP });
    transaction.write(holdCurrency());
    await this.spending.reserve(transaction, {
      id: row.reservationId!,
      jobId: row.id,
      micros: quote.worstMicros,
      ...scopesOf(row, row.requester),
      agentDayLimitMicros: agent?.limits.maxCostMicrosPerDay ?? null,
      expiresAt: this.endOf(row.deadlineAt, demand?.expiresInHours ?? 0),
    });
    if (!demand) return null;
    const { id: approvalId } = await this.gates.park(transaction, {
      gate: demand,
      operation: 'ai.jobs.create',
      action: 'approve',
      summary: `Run an AI job (${row.kind})`,
      permission: 'ai-jobs:write',
      object: aiJobs.type,
      row: nextVersion(row, {}),
      input: { approvalDigest: row.approvalDigest, costCapMicros: capMicros },
    });
    return this.jobs.move(transaction, row, 'require_approval', { approvalId });
  }

  /** Records a denial. @throws Problem 403 `ai_policy_denied`. */
  private async refuseDenied(
    { verdict: { outcome, rules, facts }, policyVersion }: Plan,
    jobId: string | null,
  ): Promise<void> {
    if (outcome !== 'deny') return;
    const statements: Statement[] = [];
    const decision = { outcome, rules };
    const write = (statement: Statement) => void statements.push(statement);
    this.decisions.record({ write }, { jobId, decision, policyVersion, facts });
    await this.database.aside(statements);
    throw denied(decision);
  }

  /**
   * New and retried jobs count towards the rate limit, rejected ones do not.
   * @throws Problem 429 if the policy's limit for the minute before an instant is reached.
   */
  private async refuseRate(transaction: Transaction, { policy }: Plan, instant: string): Promise<void> {
    const atMs = Date.parse(instant);
    const { ratePerMinute } = policy;
    const { taken, first } = await this.repository.takenSince(transaction, new Date(atMs - MINUTE_MS).toISOString());
    if (taken < ratePerMinute || first === null) return;
    const seconds = Math.max(1, Math.ceil((Date.parse(first) + MINUTE_MS - atMs) / 1_000));
    throw new Problem('rate_limit_exceeded', `The AI policy takes ${ratePerMinute} jobs in any 60 seconds.`, {
      headers: { 'retry-after': String(seconds) },
    });
  }

  private refusePast(deadlineAt: string | null): void {
    if (deadlineAt !== null && Date.parse(deadlineAt) <= this.clock.nowMs())
      throw invalid('/deadlineAt', 'in_the_past', 'The deadline is over.');
  }

  private endOf(deadlineAt: string | null, waitingHours: number): string {
    const latest = this.clock.nowMs() + waitingHours * 60 * MINUTE_MS + PATIENCE_MS;
    return deadlineAt ?? new Date(latest).toISOString();
  }
}

/** @throws Problem 409 if personal data in the job may no longer be sent unmasked. */
function refuseMaskAnew({ personalData }: AiJob, { policy, findings }: Plan): void {
  if (policy.personalData === 'mask' && personalData === 'allow' && findings.length > 0)
    throw new Problem('approval_changed', 'The policy has personal data masked now: ask for a new job.');
}
