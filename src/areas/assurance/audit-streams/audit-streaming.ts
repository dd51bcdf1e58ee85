import { Injectable, Logger } from '@nestjs/common';
import { logFailure } from '#libs/database/log-failure.js';
import { Loop, type Work } from '#libs/worker/loop.js';
import type { Background } from '#libs/worker/worker-part.js';
import { type Claim, StreamClaims } from './stream-claims.js';
import { StreamSender } from './stream-sender.js';

const PAUSES = { busyMs: 200, idleMs: 1_000 };
/** Maximum number of streams that one worker sends for at a time. */
const PLACES = 8;

/** Streams audit logs until the process ends. */
@Injectable()
export class AuditStreaming implements Background {
  readonly onBehalf = { of: 'platform', because: 'queued' } as const;
  private readonly logger = new Logger('audit streaming');
  private readonly loop = new Loop('Streaming the audit logs', PAUSES, () => this.pass());
  private readonly running = new Set<Promise<void>>();
  private readonly stopping = new AbortController();

  constructor(
    private readonly claims: StreamClaims,
    private readonly sender: StreamSender,
  ) {}

  start(): void {
    this.loop.start();
  }

  /** Aborts what is being sent: it is repeated by the next worker. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.loop.stop();
    await Promise.all(this.running);
  }

  /** Begins to send for as many streams as there are places. */
  private async pass(): Promise<Work> {
    const places = PLACES - this.running.size;
    if (places === 0) return 'some';
    const claims = await this.claims.take(places);
    for (const claim of claims) this.begin(claim);
    return claims.length > 0 ? 'some' : 'none';
  }

  private begin(claim: Claim): void {
    const run = this.sender
      .run(claim, this.stopping.signal)
      .catch((error: unknown) => logFailure(this.logger, `The stream ${claim.streamId} waits for its lease`, error))
      .finally(() => this.running.delete(run));
    this.running.add(run);
  }
}
