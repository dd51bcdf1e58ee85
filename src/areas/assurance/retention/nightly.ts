import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Automations } from '#libs/automation/automations.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Jobs } from '#libs/jobs/jobs.js';
import { Clock } from '#libs/kernel/clock.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import type { Work } from '#libs/worker/loop.js';
import { Upkeep } from '#libs/worker/upkeep.js';
import { RetentionPoliciesService } from './policies.service.js';
import { RetentionRuns } from './retention-runs.service.js';

const NIGHTLY = 'core.retention.nightly';
const EVERY_MS = 60 * 60_000;
const HOUR = 2;

const SCHEDULE = `
  insert into data.automation_runs (tenant_id, kind, key, state, due_at, created_at)
  select t.id, '${NIGHTLY}', $1, 'waiting', $2::timestamptz, now() from directory.tenants t where t.closed_at is null
  on conflict (tenant_id, kind, key) do nothing`;

/** Time of the next nightly runs: 02:00 UTC. */
export function nextNight(nowMs: number): string {
  const today = new Date(nowMs).setUTCHours(HOUR, 0, 0, 0);
  return new Date(today > nowMs ? today : today + DAY_MS).toISOString();
}

/** Sets the timers of the next night for all tenants. Needs the `system` role. */
@Injectable()
export class NightlyRetention extends Upkeep implements OnModuleInit {
  readonly onBehalf = { of: 'platform', because: 'upkeep' } as const;

  constructor(
    private readonly database: Database,
    private readonly automations: Automations,
    private readonly policies: RetentionPoliciesService,
    private readonly runs: RetentionRuns,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {
    super('The schedule of retention', EVERY_MS);
  }

  onModuleInit(): void {
    this.automations.timer({ kind: NIGHTLY, onBehalf: { of: 'tenant', because: 'rule' }, fire: () => this.runAll() });
  }

  async sweep(): Promise<Work> {
    const dueAt = nextNight(this.clock.nowMs());
    await this.database.system([statement(SCHEDULE, [dueAt.slice(0, 10), dueAt])]);
    return 'none';
  }

  /** Starts the runs of all enabled policies and of the trash. */
  private runAll(): Promise<void> {
    return this.database.transaction(async (transaction) => {
      for (const policy of await this.policies.list()) if (policy.enabled) await this.runs.start(transaction, policy);
      await this.runs.emptyTrash(transaction);
      transaction.write(this.jobs.forgetExpired());
    });
  }
}
