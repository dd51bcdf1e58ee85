import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';

/** A longer silence means that the process was suspended: it was not up in between. */
const SILENCE_MS = 60_000;

const REPORT = `select directory.report_process($1, $2, $3, $4::uuid[])`;

/**
 * Records when this API process was up, as ranges of time. A minute that no range touches is not covered: nobody can
 * tell whether a request would have succeeded.
 */
@Injectable()
export class ProcessCoverage {
  private readonly processId = uuidv7();
  private sinceMs: number;
  private untilMs: number;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    this.sinceMs = this.untilMs = clock.nowMs();
  }

  /** Extends the current range to now. Also notes which tenants have sent requests. */
  async report(tenantIds: readonly string[]): Promise<void> {
    const nowMs = this.clock.nowMs();
    if (nowMs - this.untilMs > SILENCE_MS || nowMs < this.untilMs) this.sinceMs = nowMs;
    this.untilMs = nowMs;
    const range = [this.sinceMs, nowMs].map((ms) => new Date(ms).toISOString());
    await this.database.system([statement(REPORT, [this.processId, ...range, tenantIds])]);
  }
}
