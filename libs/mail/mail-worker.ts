import { Injectable } from '@nestjs/common';
import { BATCH, MailDelivery } from './mail-delivery.js';
import { within } from '#libs/outbound/deadline.js';
import { Loop } from '#libs/worker/loop.js';
import type { Background } from '#libs/worker/worker-part.js';

const POLL = { busyMs: 200, idleMs: 2_000 };
/** Mails still in progress after this time are sent again when their leases expire. */
const STOP_MS = 5_000;

/** Sends mails until the process ends. */
@Injectable()
export class MailWorker implements Background {
  readonly onBehalf = { of: 'platform', because: 'queued' } as const;
  private readonly loop: Loop;

  constructor(delivery: MailDelivery) {
    this.loop = new Loop('The sending of mails', POLL, async () => {
      const count = await delivery.pass();
      return count === BATCH ? 'full' : count > 0 ? 'some' : 'none';
    });
  }

  start(): void {
    this.loop.start();
  }

  async stop(): Promise<void> {
    await within(STOP_MS, this.loop.stop()).catch(() => undefined);
  }
}
