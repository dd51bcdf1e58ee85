import { Injectable } from '@nestjs/common';
import type { Finding } from '#libs/ai/personal-data/kinds.js';
import { scan } from '#libs/ai/personal-data/scan.js';
import type { AiPolicy } from '#libs/ai/policy.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { Problem } from '#libs/kernel/problem.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import type { Agent } from '../agents/agent.js';
import { AgentsService } from '../agents/agents.service.js';
import { Spending } from '../budgets/spending.js';
import type { AiJob } from '../jobs/job.js';
import { JobContexts, type OpenedContext } from '../jobs/job-contexts.js';
import { JobDecisions } from '../admission/job-decisions.service.js';
import { capOf } from '../admission/job-quotes.service.js';
import { AiJobsService } from '../jobs/ai-jobs.service.js';
import { Requesters } from '../tools/requesters.js';
import { Models } from '../models/models.service.js';
import { AiPauses } from '../policy/ai-pauses.js';
import { AiPolicies } from '../policy/ai-policies.js';
import { AgentPace } from './agent-pace.js';
import { JobEnd } from './job-end.js';
import { JobQueueRepository } from './job-queue.repository.js';
import type { HeldLease } from './lease.js';

/**
 * Starts jobs. Everything is checked again in the transaction of the start, because it may have changed since the
 * decision: the kill switch, the policy, the requester's permissions, the agent, the approval and the budgets.
 */
@Injectable()
export class JobStarter {
  constructor(
    private readonly queue: JobQueueRepository,
    private readonly jobs: AiJobsService,
    private readonly contexts: JobContexts,
    private readonly requesters: Requesters,
    private readonly decisions: JobDecisions,
    private readonly agents: AgentsService,
    private readonly pace: AgentPace,
    private readonly policies: AiPolicies,
    private readonly settings: TenantSettings,
    private readonly pauses: AiPauses,
    private readonly models: Models,
    private readonly spending: Spending,
    private readonly clock: Clock,
  ) {}

  /** Starts a job, or ends it with the reason why it may not start. Returns whether it runs. @throws LeaseLost. */
  async start(lease: HeldLease): Promise<boolean> {
    return this.queue.fenced(lease, async (transaction, { state, stopReason }) => {
      if (state !== 'due' || stopReason !== null) return false;
      const job = await this.jobs.records.readPlainly(lease.jobId);
      if (job.deadlineAt !== null && Date.parse(job.deadlineAt) <= this.clock.nowMs()) {
        await this.jobs.records.follow('expire', job.id);
        return false;
      }
      // A job that was created during a concurrent pause has no mark in the queue.
      if (await this.pauses.current()) {
        await this.jobs.records.follow('cancel', job.id, { reason: 'AI work was paused.' });
        return false;
      }
      const refusal = await this.refusalOf(transaction, job);
      if (refusal) {
        const error = { code: refusal.code, message: refusal.message };
        await this.jobs.records.follow(refusal.action, job.id, { error });
        return false;
      }
      const startAt = await this.startOf(transaction, job);
      if (startAt === null) await this.jobs.records.follow('start', job.id);
      else this.queue.postpone(transaction, lease, startAt);
      return startAt === null;
    });
  }

  private async startOf(transaction: Transaction, { agentId }: AiJob): Promise<string | null> {
    if (agentId === null) return null;
    const most = (await this.agents.records.find(agentId))?.limits.maxRunsPerHour ?? null;
    return most === null ? null : this.pace.nextStart(transaction, agentId, most);
  }

  /** Why the job may not start; null if it may. */
  private async refusalOf(transaction: Transaction, job: AiJob): Promise<JobEnd | null> {
    try {
      const context = await this.contexts.open(job);
      await this.requesters.as(job, async () => this.askPolicy(job, await this.requesters.recheck(job), context));
      const reservation = job.reservationId ? await this.spending.find(transaction, job.reservationId) : null;
      if (reservation?.state !== 'open')
        return new JobEnd('cap_reached', 'reservation_released', 'The reservation of the job has been released.');
      return null;
    } catch (error) {
      if (error instanceof JobEnd) return error;
      if (error instanceof Problem && error.status < 500) return new JobEnd('fail', error.code, error.detail);
      throw error;
    }
  }

  /**
   * Checks the job again, with the current policy and as the requester. Approvals stay valid.
   * @throws JobEnd, Problem if the job could no longer be requested.
   */
  private async askPolicy(job: AiJob, agent: Agent | null, context: OpenedContext): Promise<void> {
    const offer = await this.models.find(job.provider, job.model);
    if (!offer) throw new JobEnd('fail', 'model_not_available', `The model ${job.model} is not offered any more.`);
    const { version, policy } = await this.policies.current();
    capOf(job.actualCostMicros + job.reservedCostMicros, policy, agent);
    const unmasked = version === job.decision.policyVersion ? [] : await this.personalDataIn(context, policy);
    const { outcome, rules } = await this.decisions.judge(policy, {
      ...{ kind: job.kind, offer, targets: job.targets, agentId: job.agentId, autonomy: job.autonomy },
      ...{ costMicros: job.reservedCostMicros, capMicros: job.costCapMicros, approvalRequested: false },
      findings: [...job.piiFindings, ...unmasked],
    });
    const named = rules.join(', ');
    if (outcome === 'deny')
      throw new JobEnd('fail', 'ai_policy_denied', `The policy does not allow the job any more: ${named}.`);
    if (outcome === 'require_approval' && job.approvalId === null)
      throw new JobEnd('fail', 'approval_required', `The policy wants the job approved by now: ${named}.`);
    if (policy.personalData === 'mask' && unmasked.length > 0)
      throw new JobEnd('fail', 'approval_changed', 'The policy has personal data masked now: ask for a new job.');
  }

  /** Kinds of personal data in the content that the policy lists. */
  private async personalDataIn({ task, instructions }: OpenedContext, policy: AiPolicy): Promise<Finding[]> {
    const { general } = await this.settings.get();
    const { input, records } = task;
    return scan({ input, instructions, records }, { kinds: policy.personalDataKinds, country: general.country });
  }
}
