import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { REPLAY_WINDOW_MINUTES } from './idempotency-keys.js';
import type { Work } from '#libs/worker/loop.js';
import { Upkeep } from '#libs/worker/upkeep.js';

const BATCH = 1_000;
const EVERY_MS = 60_000;

// The conditions are repeated because a key that was claimed again in the meantime must be kept.
const FORGET_ANSWERS = `
  delete from data.idempotency_keys where ctid = any(array(
      select ctid from data.idempotency_keys
      where completed_at < now() - interval '${REPLAY_WINDOW_MINUTES} minutes' limit ${BATCH}))
    and completed_at < now() - interval '${REPLAY_WINDOW_MINUTES} minutes'`;
const FORGET_CLAIMS = `
  delete from data.idempotency_keys where ctid = any(array(
      select ctid from data.idempotency_keys
      where completed_at is null and locked_until < now() - interval '1 hour' limit ${BATCH}))
    and completed_at is null and locked_until < now() - interval '1 hour'`;

/** Deletes stored responses that can no longer be replayed, and abandoned claims. */
@Injectable()
export class IdempotencyUpkeep extends Upkeep {
  readonly onBehalf = { of: 'platform', because: 'upkeep' } as const;

  constructor(private readonly database: Database) {
    super('The removal of idempotency keys', EVERY_MS);
  }

  /** Deletes a batch of each. */
  async sweep(): Promise<Work> {
    const answers = await this.database.system([statement(FORGET_ANSWERS)]);
    const claims = await this.database.system([statement(FORGET_CLAIMS)]);
    return [...answers, ...claims].some(({ count }) => count === BATCH) ? 'full' : 'none';
  }
}
