import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Work } from '#libs/worker/loop.js';
import { Upkeep } from '#libs/worker/upkeep.js';

const EVERY_MS = 15 * 60_000;
/** Rows that one statement deletes. */
const BATCH = 5_000;

const FORGET_RUNS = `
  delete from data.automation_runs where (tenant_id, kind, key) in (
    select tenant_id, kind, key from data.automation_runs
    where finished_at < now() - $1 * interval '1 day' order by finished_at limit ${BATCH})`;

/** Deletes finished runs of flows and timers once they are older than the retention of events. */
@Injectable()
export class RunRetentionUpkeep extends Upkeep {
  readonly onBehalf = { of: 'platform', because: 'upkeep' } as const;
  private readonly days: number;

  constructor(
    private readonly database: Database,
    @Inject(SETTINGS_TOKEN) settings: Pick<Settings, 'EVENT_RETENTION_DAYS'>,
  ) {
    super('The removal of old runs', EVERY_MS);
    this.days = settings.EVENT_RETENTION_DAYS;
  }

  /** Deletes one batch. */
  async sweep(): Promise<Work> {
    const [runs] = await this.database.system([statement(FORGET_RUNS, [this.days])]);
    return runs!.count === BATCH ? 'full' : 'none';
  }
}
