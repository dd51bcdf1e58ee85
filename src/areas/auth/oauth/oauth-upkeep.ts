import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Clock } from '#libs/kernel/clock.js';
import type { Work } from '#libs/worker/loop.js';
import { Upkeep } from '#libs/worker/upkeep.js';

const EVERY_MS = 15 * 60_000;
const BATCH = 1_000;
/** An action requested with an access token can wait this long for approval, and then still needs the token. */
const KEPT_MS = 7 * 86_400_000;
const FORGET = `select directory.forget_oauth_tokens($1, ${BATCH}) as count`;

/** Deletes codes and tokens of delegated access long after they have expired. */
@Injectable()
export class OauthUpkeep extends Upkeep {
  readonly onBehalf = { of: 'platform', because: 'upkeep' } as const;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    super('The removal of old access tokens', EVERY_MS);
  }

  /** Deletes one batch. */
  async sweep(): Promise<Work> {
    const before = new Date(this.clock.nowMs() - KEPT_MS).toISOString();
    const [answer] = await this.database.system([statement(FORGET, [before])]);
    return answer!.rows[0]!['count'] === BATCH ? 'full' : 'none';
  }
}
