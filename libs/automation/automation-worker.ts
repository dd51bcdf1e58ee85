import { Injectable } from '@nestjs/common';
import { Runner } from './runner.js';
import { PROMOTED, Runs, TENANTS } from './runs.js';
import { Clock } from '#libs/kernel/clock.js';
import { NIL_UUID } from '#libs/kernel/id.js';
import { Loop, type Work } from '#libs/worker/loop.js';
import type { Background } from '#libs/worker/worker-part.js';
import { TenantFactsReader } from '#libs/worker/tenant-facts.js';

const POLL = { busyMs: 50, idleMs: 250 };
/** Runs per tenant before the next tenant gets its turn. */
const TURN = 10;
/** Tenants processed in parallel, each on a separate connection. */
const AT_A_TIME = 4;

/** Runs the flows and timers of all tenants in turn until the process stops. */
@Injectable()
export class AutomationWorker implements Background {
  readonly onBehalf = { of: 'platform', because: 'queued' } as const;
  private readonly loop = new Loop('The automation runner', POLL, () => this.pass());
  private after = NIL_UUID;
  private closing = false;

  constructor(
    private readonly runs: Runs,
    private readonly runner: Runner,
    private readonly tenants: TenantFactsReader,
    private readonly clock: Clock,
  ) {}

  start(): void {
    this.loop.start();
  }

  /** Takes no further runs and waits for those in progress. */
  async stop(): Promise<void> {
    this.closing = true;
    await this.loop.stop();
  }

  /** Gives each of the next tenants with due runs one turn. */
  async pass(): Promise<Work> {
    const promoted = await this.runs.promote(this.clock.now());
    const tenantIds = await this.runs.readyTenants(this.after);
    const hasMore = tenantIds.length === TENANTS;
    let full = promoted === PROMOTED || hasMore || this.after !== NIL_UUID;
    this.after = hasMore ? tenantIds.at(-1)! : NIL_UUID;
    await this.tenants.findAll(tenantIds);
    let count = 0;
    const waiting = tenantIds.values();
    // A failing tenant must not block the others.
    const outcomes = await Promise.allSettled(
      Array.from({ length: AT_A_TIME }, async () => {
        for (const tenantId of waiting) {
          const runs = await this.turn(tenantId);
          count += runs;
          full ||= runs === TURN;
        }
      }),
    );
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
    return full ? 'full' : count > 0 ? 'some' : 'none';
  }

  private async turn(tenantId: string): Promise<number> {
    const tenant = await this.tenants.find(tenantId);
    let runs = 0;
    while (tenant && runs < TURN && !this.closing && (await this.runner.runNext(tenant))) runs++;
    return runs;
  }
}
