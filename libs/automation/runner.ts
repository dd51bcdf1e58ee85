import { Injectable, Logger } from '@nestjs/common';
import type { Counter, Histogram } from 'prom-client';
import { Database } from '#libs/database/database.js';
import { OutageProblem } from '#libs/database/failures.js';
import { Clock } from '#libs/kernel/clock.js';
import { Metrics } from '#libs/metrics/metrics.js';
import { wireBody } from '#libs/outbox/event.js';
import { inSpan } from '#libs/tenancy/in-span.js';
import { currentTenant, type Scope, type TenantFacts } from '#libs/tenancy/scope.js';
import { TenantFactsReader } from '#libs/worker/tenant-facts.js';
import { nameAutomation, refreshedBy, runAsAutomation } from './automation-scope.js';
import { type AutomationEvent, Automations, type RunFailure } from './automations.js';
import { failureOf } from './failure-of.js';
import { pauseAfter } from './retry-pauses.js';
import { Runs, type TakenRun } from './runs.js';

/** Length at which a chain of automations that trigger each other is cut. */
const MAX_DEPTH = 8;
const LOOP = new Error('Automations have caused each other too often.');

/**
 * Runs flows and timers. Taking a run, marking it as done and everything its handler does happen in one transaction. A
 * crash rolls all of it back, and a committed run is never taken again, so each run takes effect exactly once with any
 * number of workers.
 */
@Injectable()
export class Runner {
  private readonly logger = new Logger('automation');
  private readonly runCount: Counter;
  private readonly durations: Histogram;

  constructor(
    private readonly automations: Automations,
    private readonly runs: Runs,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly tenants: TenantFactsReader,
    metrics: Metrics,
  ) {
    this.durations = metrics.histogram('automation_run_seconds', 'How long flows and timers ran.', ['outcome']);
    this.runCount = metrics.counter('automation_runs_total', 'Runs of flows and timers.', ['outcome']);
  }

  /** Executes the tenant's next run. Returns whether there was one, whether it succeeded or failed. */
  async runNext(tenant: TenantFacts): Promise<boolean> {
    let taken: TakenRun | null = null;
    const stopwatch = this.durations.startTimer();
    try {
      taken = await runAsAutomation(tenant, (scope) => this.attempt(scope, (run) => (taken = run)));
      if (!taken) return false;
      this.runCount.inc({ outcome: 'done' });
      stopwatch({ outcome: 'done' });
    } catch (error) {
      if (!taken) throw error;
      stopwatch({ outcome: 'failed' });
      await this.fail(tenant, taken, error);
    }
    return true;
  }

  /** Runs see the present settings of the tenant: its cached facts are read again if they have changed. */
  private attempt(scope: Scope, onTaken: (run: TakenRun) => void): Promise<TakenRun | null> {
    refreshedBy(scope, this.tenants);
    return this.database.transaction(async (transaction) => {
      const run = await this.runs.take(transaction, this.automations.kinds);
      if (!run) return null;
      onTaken(run);
      const event = nameRun(scope, run);
      if (event && event.depth >= MAX_DEPTH) throw LOOP;
      const attributes = { 'platform.tenant.id': currentTenant().id, 'platform.automation': run.kind };
      await inSpan(`run ${run.kind}`, { kind: 'consumer', parent: run.traceparent, attributes }, () =>
        event ? this.automations.flow(run.kind).handle(event) : this.automations.timerOf(run.kind).fire(run.key),
      );
      return run;
    });
  }

  private async fail(tenant: TenantFacts, run: TakenRun, error: unknown): Promise<void> {
    const attempts = run.attempts + 1;
    const pauseMs = error === LOOP ? null : pauseAfter(attempts);
    const retryAt = pauseMs === null ? null : new Date(this.clock.nowMs() + pauseMs).toISOString();
    const { code, detail } = reasonOf(error);
    this.runCount.inc({ outcome: pauseMs === null ? 'failed' : 'retrying' });
    if (!(error instanceof OutageProblem))
      this.logger.warn(`${run.kind} of ${run.key} failed (attempt ${attempts}): ${code}: ${detail}`);
    await runAsAutomation(tenant, (scope) => {
      const event = nameRun(scope, run);
      return this.database.transaction(async (transaction) => {
        const isOver = (await this.runs.fail(transaction, run, { code, detail, retryAt })) && retryAt === null;
        const { kind, key } = run;
        if (isOver)
          await this.automations.giveUp(transaction, { kind, key, event, attempts, failure: { code, detail } });
      });
    });
  }
}

/** Names the automation and its cause in the scope; returns the event of a flow. */
function nameRun(scope: Scope, run: TakenRun): AutomationEvent | null {
  const event = eventOf(run);
  nameAutomation(scope, run.kind, event && { ...event, correlationId: run.correlationId });
  return event;
}

function eventOf({ envelope, sequence, depth }: TakenRun): AutomationEvent | null {
  if (envelope === null || sequence === null || depth === null) return null;
  return { ...(JSON.parse(wireBody(envelope, sequence)) as Omit<AutomationEvent, 'depth'>), depth };
}

function reasonOf(error: unknown): RunFailure {
  return error === LOOP ? { code: 'loop', detail: LOOP.message } : failureOf(error);
}
