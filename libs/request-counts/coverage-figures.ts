import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { MINUTE_MS } from '#libs/kernel/durations.js';
import { percentOf } from '#libs/kernel/fraction.js';
import { type Span } from './span.js';

const READ = `select (extract(epoch from from_at) * 1000)::bigint as "fromMs", (extract(epoch from to_at) * 1000)::bigint as "toMs"
  from directory.coverage($1, $2)`;

/** Reads in which minutes the API was up. */
@Injectable()
export class CoverageFigures {
  constructor(private readonly database: Database) {}

  /** Share of the minutes of a span until now in which the API was up, in percent, rounded down to three decimals. */
  async percentOf(span: Span): Promise<number> {
    const { minutes, uncovered } = await this.untilNow(span);
    return percentOf(minutes - uncovered, minutes)!; // a span has a minute
  }

  /** The minutes of a span until now, and how many of them are uncovered. This process is up now. */
  async untilNow(span: Span): Promise<{ minutes: number; uncovered: number }> {
    const uncovered = await this.untilMinuteOf(span.toMs, span);
    return { minutes: Math.ceil((span.toMs - span.fromMs) / MINUTE_MS), uncovered: uncovered.size };
  }

  /** As {@link uncovered}; this process is up in the minute in which it asks. */
  async untilMinuteOf(nowMs: number, span: Span): Promise<Set<number>> {
    const uncovered = await this.uncovered(span);
    uncovered.delete(Math.floor(nowMs / MINUTE_MS) * MINUTE_MS);
    return uncovered;
  }

  /** The minutes of a span, as their start times in ms, in which no API process was up. */
  async uncovered({ fromMs, toMs }: Span): Promise<Set<number>> {
    const range = [fromMs, toMs].map((ms) => new Date(ms).toISOString());
    const ranges = await this.database.read<Span>(statement(READ, range));
    const minutes = new Set<number>();
    for (let ms = Math.ceil(fromMs / MINUTE_MS) * MINUTE_MS; ms < toMs; ms += MINUTE_MS) minutes.add(ms);
    for (const range of ranges) {
      const first = Math.floor(Math.max(range.fromMs, fromMs) / MINUTE_MS) * MINUTE_MS;
      for (let ms = first; ms <= range.toMs && ms < toMs; ms += MINUTE_MS) minutes.delete(ms);
    }
    return minutes;
  }
}
