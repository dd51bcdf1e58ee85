import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { AttemptCounts } from './attempt-counts.js';
import { isUnavailable } from '#libs/database/failures.js';
import { logFailure } from '#libs/database/log-failure.js';
import { DeliveryRepository } from '../leases/delivery.repository.js';
import type { SettledAttempt } from '../leases/leased-delivery.js';

/** How long a result is kept while the database is unreachable. After that, the delivery is attempted again. */
const PATIENCE_MS = 10_000;
const RETRY_MS = 250;
/**
 * After this many results in one round trip, the next one waits briefly for more, because a few results cost as much as
 * a hundred. With fewer results, it does not wait.
 */
const MANY = 32;
const GATHER_MS = 5;

interface Waiting {
  attempt: SettledAttempt;
  onSent: () => void;
  done: () => void;
}

/** Writes the results of attempts in batches: during a round trip, further results wait for the next one. */
@Injectable()
export class Settlements {
  private readonly logger = new Logger('webhooks');
  private waiting: Waiting[] = [];
  private writing = false;

  constructor(
    private readonly repository: DeliveryRepository,
    private readonly counts: AttemptCounts,
  ) {}

  /**
   * Resolves when the result is written, or cannot be; never rejects. `onSent` is called when it has been sent to the
   * database, which then writes it even if this process dies.
   */
  add(attempt: SettledAttempt, onSent: () => void = () => undefined): Promise<void> {
    return new Promise((done) => {
      this.waiting.push({ attempt, onSent, done });
      if (this.writing) return;
      this.writing = true;
      setImmediate(() => void this.writeAll());
    });
  }

  private async writeAll(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting;
      this.waiting = [];
      await this.write(batch);
      for (const { done } of batch) done();
      if (batch.length >= MANY) await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
    }
    this.writing = false;
  }

  private async write(batch: readonly Waiting[]): Promise<void> {
    const giveUpMs = performance.now() + PATIENCE_MS;
    const attempts = batch.map(({ attempt }) => attempt);
    const onSent = () => {
      for (const each of batch) each.onSent();
    };
    for (;;) {
      try {
        const lost = batch.length - (await this.repository.settle(attempts, onSent));
        this.counts.add(attempts);
        if (lost > 0) this.logger.warn(`${lost} attempts took longer than their leases; they will be made again`);
        return;
      } catch (error) {
        const mayPass = isUnavailable(error);
        if (!mayPass && batch.length > 1) return this.writeEach(batch);
        if (!mayPass || performance.now() >= giveUpMs)
          return logFailure(this.logger, `${batch.length} attempts could not be recorded`, error);
        await pause(RETRY_MS);
      }
    }
  }

  /** A result that cannot be written must not affect the others. */
  private async writeEach(batch: readonly Waiting[]): Promise<void> {
    for (const one of batch) await this.write([one]);
  }
}
