import { Inject, Injectable, Logger } from '@nestjs/common';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { Database } from '#libs/database/database.js';
import { logFailure } from '#libs/database/log-failure.js';
import { statement } from '#libs/database/statement.js';
import type { Work } from '#libs/worker/loop.js';
import { Upkeep } from '#libs/worker/upkeep.js';

const EVERY_MS = 15 * 60_000;

const KEEP_PARTITIONS = `select data.keep_partitions($1)`;
/**
 * After weeks without a worker, the default partitions have millions of rows, and all rows of a day are moved in one
 * statement.
 */
const TAKE_TIME = `select set_config('statement_timeout', '10min', true)`;
/** A subquery is evaluated once, a bare function call once per row: 8 ms instead of 400 ms for 160,000 rows. */
const FIRST_KEPT = `(select data.first_id((now() at time zone 'UTC')::date - $1::integer))`;
// A queue entry must not outlive its event. Such an old entry belongs to an endpoint that has been waiting for days.
const FORGET_ENTRIES = `delete from data.webhook_queue where delivery_id < ${FIRST_KEPT}`;
// The same applies to pending and set-aside entries.
const FORGET_PENDING = `delete from data.events_pending where event_id < ${FIRST_KEPT}`;
const FORGET_SET_ASIDE = `delete from data.events_set_aside where event_id < ${FIRST_KEPT}`;
const FORGET = [FORGET_ENTRIES, FORGET_PENDING, FORGET_SET_ASIDE];

/** Creates the partitions of the coming days and drops those past retention. Any worker may do so. */
@Injectable()
export class RetentionUpkeep extends Upkeep {
  readonly onBehalf = { of: 'platform', because: 'upkeep' } as const;
  private readonly logger = new Logger('events');
  private readonly days: number;

  constructor(
    private readonly database: Database,
    @Inject(SETTINGS_TOKEN) settings: Pick<Settings, 'EVENT_RETENTION_DAYS'>,
  ) {
    super('The keeping of partitions', EVERY_MS);
    this.days = settings.EVENT_RETENTION_DAYS;
  }

  /** One round. Skips locked partitions, because waiting for their locks would block all later transactions. */
  async sweep(): Promise<Work> {
    await this.database.system(FORGET.map((text) => statement(text, [this.days])));
    await this.database
      .system([statement(TAKE_TIME), statement(KEEP_PARTITIONS, [this.days])])
      .catch((error: unknown) => logFailure(this.logger, 'The partitions were left as they are', error));
    return 'none';
  }
}
