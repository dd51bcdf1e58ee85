import { Injectable } from '@nestjs/common';
import { ProviderError } from '#libs/ai/provider.js';
import { Clock } from '#libs/kernel/clock.js';
import { Problem } from '#libs/kernel/problem.js';
import { inSpan } from '#libs/tenancy/in-span.js';
import { AgentsService } from '../agents/agents.service.js';
import type { AiJob } from '../jobs/job.js';
import { AiJobsService } from '../jobs/ai-jobs.service.js';
import { Providers } from '../models/providers.service.js';
import { ActionMaker } from './action-maker.js';
import { Conversation, type Outcome } from './conversation.js';
import { type Ending, endingOf, JobCloser } from './job-closer.js';
import { Interrupted, JobEnd } from './job-end.js';
import { JobQueueRepository } from './job-queue.repository.js';
import type { JobRun } from './job-run.js';
import { JobStarter } from './job-starter.js';
import { type HeldLease, type Interruption, LeaseLost, type QueueEntry } from './lease.js';

/** Default time limit of a job. */
const DEFAULT_TIMEOUT_SECONDS = 300;
/** Maximum number of workers that may die while running a job, because the job may be the cause. */
const MAX_TAKEOVERS = 5;
const CANCELLED: Ending = { action: 'cancel', changes: { reason: 'AI work or the agent was paused.' } };

/** Runs one job from its current state to its end. `Source:` ADR 0025. */
@Injectable()
export class JobRunner {
  constructor(
    private readonly queue: JobQueueRepository,
    private readonly starter: JobStarter,
    private readonly conversation: Conversation,
    private readonly closer: JobCloser,
    private readonly jobs: AiJobsService,
    private readonly agents: AgentsService,
    private readonly maker: ActionMaker,
    private readonly providers: Providers,
    private readonly clock: Clock,
  ) {}

  /** @param abort aborted with an {@link Interruption} to stop the run. @throws LeaseLost. */
  async run(lease: HeldLease, abort: AbortController): Promise<void> {
    const entry = await this.queue.fenced(lease, (_transaction, found) => Promise.resolve(found));
    const attributes = { 'platform.tenant.id': lease.tenantId, 'platform.job.id': lease.jobId };
    const start = { kind: 'consumer', parent: entry.traceparent, attributes } as const;
    await inSpan('run AI job', start, () => this.runFrom(lease, abort, entry));
  }

  private async runFrom(lease: HeldLease, abort: AbortController, entry: QueueEntry): Promise<void> {
    if (entry.state === 'closing') return this.closer.close(lease, CANCELLED);
    if (entry.state === 'due' && !(await this.starter.start(lease))) return this.queue.giveBack([lease]);
    const ending = await this.endingOf(lease, abort, entry.takeovers);
    if (ending) await this.closer.close(lease, ending);
    else await this.queue.giveBack([lease]);
  }

  /** How the job ends; null if it is released for another worker. */
  private async endingOf(lease: HeldLease, abort: AbortController, takeovers: number): Promise<Ending | null> {
    const job = await this.jobs.records.readPlainly(lease.jobId);
    const endsAtMs = performance.now() + (await this.leftMs(job));
    const timer = setTimeout(() => abort.abort('timeout' satisfies Interruption), endsAtMs - performance.now());
    try {
      if (takeovers > MAX_TAKEOVERS)
        throw new JobEnd('fail', 'worker_lost', 'Every worker that ran the job has ended while it did.');
      const provider = await this.providers.open(job.provider);
      const run: JobRun = { lease, job, provider, signal: abort.signal, endsAtMs };
      return await this.endingWith(run, await this.conversation.hold(run));
    } catch (error) {
      return this.endingAfter(error, abort.signal);
    } finally {
      clearTimeout(timer);
    }
  }

  private endingAfter(error: unknown, signal: AbortSignal): Ending | null {
    if (error instanceof LeaseLost) throw error;
    const interruption = interruptionOf(error, signal);
    if (interruption === 'lost') throw new LeaseLost('The lease of the job was lost.');
    if (interruption === 'shutdown') return null;
    if (interruption === 'cancelled') return CANCELLED;
    if (interruption === 'timeout')
      return endingOf(new JobEnd('fail', 'job_timeout', 'The job has taken longer than it may.'));
    if (error instanceof JobEnd) return endingOf(error);
    if (error instanceof ProviderError) return endingOf(new JobEnd('fail', error.fault, error.message));
    if (error instanceof Problem && error.status < 500) return endingOf(new JobEnd('fail', error.code, error.detail));
    throw error;
  }

  private async endingWith(run: JobRun, { output, proposals }: Outcome): Promise<Ending> {
    const { autonomy } = run.job;
    if (autonomy !== 'auto') {
      const action = proposals.length > 0 ? 'request_review' : 'succeed';
      return { action, changes: { output, proposedActions: proposals } };
    }
    for (const each of proposals) await this.maker.make(run, each);
    return { action: 'succeed', changes: { output } };
  }

  /** Remaining time of the job, ms. */
  private async leftMs({ agentId, startedAt }: AiJob): Promise<number> {
    const agent = agentId === null ? null : await this.agents.records.find(agentId);
    const wholeMs = (agent?.limits.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * 1_000;
    const sinceMs = startedAt === null ? 0 : this.clock.nowMs() - Date.parse(startedAt);
    return Math.max(0, wholeMs - Math.max(0, sinceMs));
  }
}

function interruptionOf(error: unknown, signal: AbortSignal): Interruption | null {
  if (error instanceof Interrupted) return error.interruption;
  return signal.aborted ? (signal.reason as Interruption) : null; // nobody else aborts it
}
