import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';

const TURN_MS = 300_000;

/** Percentiles of durations, and the seconds for which they were recorded. */
export interface DurationFigures {
  count: number;
  /** Null without observations. */
  p50Ms: number | null;
  p95Ms: number | null;
  seconds: number;
}

/** Durations of the last five to ten minutes, with a resolution of a microsecond. */
export class RecentDurations {
  private previous: RecordableHistogram | null = null;
  private current = createHistogram();
  private sinceMs = performance.now();
  private turnedMs = this.sinceMs;

  record(ms: number): void {
    this.turn();
    this.current.record(Math.max(1, Math.round(ms * 1_000)));
  }

  figures(): DurationFigures {
    this.turn();
    const all = createHistogram();
    if (this.previous) all.add(this.previous);
    all.add(this.current);
    const msAt = (percent: number) => (all.count === 0 ? null : all.percentile(percent) / 1_000);
    return {
      count: all.count,
      p50Ms: msAt(50),
      p95Ms: msAt(95),
      seconds: Math.round((performance.now() - this.sinceMs) / 1_000),
    };
  }

  private turn(): void {
    const nowMs = performance.now();
    const elapsedMs = nowMs - this.turnedMs;
    if (elapsedMs < TURN_MS) return;
    const isStale = elapsedMs >= 2 * TURN_MS; // nothing was recorded meanwhile
    this.previous = isStale ? null : this.current;
    this.sinceMs = isStale ? nowMs : this.turnedMs;
    this.turnedMs = nowMs;
    this.current = createHistogram();
  }
}
