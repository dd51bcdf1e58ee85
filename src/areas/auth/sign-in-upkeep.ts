import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Clock } from '#libs/kernel/clock.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import type { Work } from '#libs/worker/loop.js';
import { Upkeep } from '#libs/worker/upkeep.js';

const EVERY_MS = 15 * 60_000;
const BATCH = 1_000;

const FORGET_TOKENS = `delete from directory.used_id_tokens where token_hash = any(array(
    select token_hash from directory.used_id_tokens where expires_at < $1 limit ${BATCH}))`;
const FORGET_SESSIONS = `select directory.forget_sessions($1, ${BATCH}) as count`;

/** Deletes records of expired ID tokens, and ended sessions after the retention time of events. */
@Injectable()
export class SignInUpkeep extends Upkeep {
  readonly onBehalf = { of: 'platform', because: 'upkeep' } as const;
  private readonly days: number;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    @Inject(SETTINGS_TOKEN) settings: Pick<Settings, 'EVENT_RETENTION_DAYS'>,
  ) {
    super('The removal of old sessions', EVERY_MS);
    this.days = settings.EVENT_RETENTION_DAYS;
  }

  /** Deletes a batch of each. */
  async sweep(): Promise<Work> {
    const now = this.clock.nowMs();
    const [tokens] = await this.database.system([statement(FORGET_TOKENS, [new Date(now).toISOString()])]);
    const before = new Date(now - this.days * DAY_MS).toISOString();
    const [sessions] = await this.database.system([statement(FORGET_SESSIONS, [before])]);
    return tokens!.count === BATCH || sessions!.rows[0]!['count'] === BATCH ? 'full' : 'none';
  }
}
