import { Logger } from '@nestjs/common';
import { CONNECT_MS } from '../data-source.js';
import { isConnectTimeout, isOutOfRoom, isUnreachable } from '../failures.js';

/** An outage is over at the first success so long after the last failure, ms: in between some attempts may succeed. */
const QUIET_MS = { unreachable: 1_000, full: 10_000 };

interface Outage {
  sinceMs: number;
  lastMs: number;
  failures: number;
}

/** What PostgreSQL cannot do at the moment. The log tells when an outage begins and when it is over, not each failure. */
export class Outages {
  private readonly open: Record<keyof typeof QUIET_MS, Outage | null> = { unreachable: null, full: null };

  constructor(
    private readonly logger: Pick<Logger, 'error' | 'warn'> = new Logger('database'),
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** Whether PostgreSQL refuses writes because disk or memory are full. */
  get isFull(): boolean {
    return this.open.full !== null;
  }

  /** Takes note of any error of a statement. */
  failed(error: unknown): void {
    if (isOutOfRoom(error)) this.count('full', `The database has no room, so writes fail: ${reasonOf(error)}`);
    else if (isConnectTimeout(error))
      this.count('unreachable', `Connecting to the database timed out after ${CONNECT_MS} ms`);
    else if (isUnreachable(error)) this.count('unreachable', `The database is unreachable: ${reasonOf(error)}`);
  }

  /** Takes note that statements succeeded. @param wrote whether they may have written. */
  succeeded(wrote: boolean): void {
    this.end('unreachable', 'The database answers again');
    if (wrote) this.end('full', 'The database has room again');
  }

  private count(kind: keyof typeof QUIET_MS, line: string): void {
    const now = this.nowMs();
    if (this.open[kind] === null) this.logger.error(`${line}. This is said once, until it is over`);
    const { sinceMs, failures } = this.open[kind] ?? { sinceMs: now, failures: 0 };
    this.open[kind] = { sinceMs, lastMs: now, failures: failures + 1 };
  }

  private end(kind: keyof typeof QUIET_MS, line: string): void {
    const outage = this.open[kind];
    const now = this.nowMs();
    if (outage === null || now - outage.lastMs < QUIET_MS[kind]) return;
    this.open[kind] = null;
    this.logger.warn(`${line}, after ${Math.round((now - outage.sinceMs) / 1_000)} s and ${outage.failures} failures`);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.split('\n')[0]! : String(error);
}
