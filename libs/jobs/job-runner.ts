import { Injectable, Logger } from '@nestjs/common';
import type { Counter, Histogram } from 'prom-client';
import { nameAutomation, refreshedBy, runAsAutomation } from '#libs/automation/automation-scope.js';
import type { RunFailure } from '#libs/automation/automations.js';
import { failureOf } from '#libs/automation/failure-of.js';
import { MAX_ATTEMPTS, pauseAfter } from '#libs/automation/retry-pauses.js';
import { Database } from '#libs/database/database.js';
import { OutageProblem } from '#libs/database/failures.js';
import { Clock } from '#libs/kernel/clock.js';
import { Metrics } from '#libs/metrics/metrics.js';
import { inSpan } from '#libs/tenancy/in-span.js';
import type { Transaction } from '#libs/database/transaction.js';
import type { TenantFacts } from '#libs/tenancy/scope.js';
import { TenantFactsReader } from '#libs/worker/tenant-facts.js';
import type { Job } from './job.js';
import { type JobLease, JobLeaseLost, JobQueue } from './job-queue.js';
import { Jobs } from './jobs.js';

const WORKER_LOST: RunFailure = {
  code: 'worker_lost',
  detail: 'Each worker that carried it out has stopped without an answer.',
};

/**
 * Carries out jobs under their leases. A step first works outside of any transaction, if its kind does. Then one
 * transaction takes the job for itself, checks the lease, and commits the effects of the step together with its
 * progress. So a step takes effect once, also if its worker dies or is too slow; what it did outside may be repeated.
 */
@Injectable()
export class JobRunner {
  private readonly logger = new Logger('jobs');
  private readonly steps: Counter;
  private readonly durations: Histogram;

  constructor(
    private readonly jobs: Jobs,
    private readonly queue: JobQueue,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly tenants: TenantFactsReader,
    metrics: Metrics,
  ) {
    this.durations = metrics.histogram('job_step_seconds', 'How long steps of jobs took.', ['outcome']);
    this.steps = metrics.counter('job_steps_total', 'Steps of jobs.', ['outcome']);
  }

  /**
   * Takes the next step of a job, or records why it failed. Work outside of transactions ends when `signal` aborts.
   * @param isKept whether the lease shall go on after the step
   * @returns whether it does
   */
  async step(lease: JobLease, signal: AbortSignal, isKept: () => boolean): Promise<boolean> {
    const tenant = await this.tenants.find(lease.tenantId);
    if (!tenant) return false;
    const stopwatch = this.durations.startTimer();
    try {
      if (lease.attempts >= MAX_ATTEMPTS) return await this.fail(tenant, lease, WORKER_LOST, false);
      const goesOn = await this.attempt(tenant, lease, signal, isKept);
      stopwatch({ outcome: 'done' });
      this.steps.inc({ outcome: 'done' });
      return goesOn;
    } catch (error) {
      if (error instanceof JobLeaseLost || signal.aborted) return false;
      stopwatch({ outcome: 'failed' });
      return this.fail(tenant, lease, failureOf(error), error instanceof OutageProblem);
    }
  }

  private attempt(tenant: TenantFacts, lease: JobLease, signal: AbortSignal, isKept: () => boolean): Promise<boolean> {
    const attributes = { 'platform.tenant.id': tenant.id, 'platform.job': lease.kind };
    return this.inScope(tenant, lease, () =>
      inSpan(`step of ${lease.kind}`, { kind: 'consumer', parent: null, attributes }, async () => {
        const prepared = await this.jobs.prepare(lease, signal);
        signal.throwIfAborted(); // what was prepared may be incomplete
        return this.database.transaction(async (transaction) => {
          const { job } = await this.take(transaction, lease);
          const goesOn = !(await this.jobs.takeStep(transaction, job, prepared)) && isKept();
          const dueAt = this.clock.now().toISOString();
          this.queue.goOn(transaction, lease, { dueAt, attempts: 0, isKept: goesOn });
          return goesOn;
        });
      }),
    );
  }

  /** Records a failed attempt. An outage of the database is logged already. Returns that the lease does not go on. */
  private async fail(tenant: TenantFacts, lease: JobLease, failure: RunFailure, isOutage: boolean): Promise<false> {
    const attempts = await this.inScope(tenant, lease, () =>
      this.database.transaction(async (transaction) => {
        const { job, attempts: before } = await this.take(transaction, lease);
        const attempts = Math.min(before + 1, MAX_ATTEMPTS);
        const pauseMs = pauseAfter(attempts);
        const dueAt = new Date(this.clock.nowMs() + (pauseMs ?? 0)).toISOString();
        if (pauseMs === null) await this.jobs.giveUp(transaction, job, { failure, attempts });
        else this.queue.goOn(transaction, lease, { dueAt, attempts, isKept: false });
        return attempts;
      }),
    );
    this.steps.inc({ outcome: attempts === MAX_ATTEMPTS ? 'failed' : 'retrying' });
    if (!isOutage)
      this.logger.warn(
        `${lease.kind} of ${lease.jobId} failed (attempt ${attempts}): ${failure.code}: ${failure.detail}`,
      );
    return false;
  }

  /** Locks a job and its lease until the transaction ends. @throws JobLeaseLost. */
  private async take(transaction: Transaction, lease: JobLease): Promise<{ job: Job; attempts: number }> {
    const job = await this.jobs.rows.lock(transaction, lease.jobId);
    const attempts = await this.queue.fence(transaction, lease);
    if (!job) throw new JobLeaseLost(`The job ${lease.jobId} is gone.`);
    return { job, attempts };
  }

  /** Steps see the present settings of the tenant. */
  private inScope<T>(tenant: TenantFacts, { kind }: JobLease, work: () => Promise<T>): Promise<T> {
    return runAsAutomation(tenant, (scope) => {
      nameAutomation(scope, kind, null);
      refreshedBy(scope, this.tenants);
      return work();
    });
  }
}
