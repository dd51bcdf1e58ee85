import type { Meter, Verdict } from './verdict.js';

/** Keys checked for idleness per hit. Two, so that new keys cannot arrive faster than idle ones are dropped. */
const SWEEP_STEP = 2;

/**
 * One limit for many keys in one process.
 *
 * Memory is bounded: each hit also drops keys with nothing counted. Above `maxKeys` active keys, new keys share one
 * meter until others are dropped. A flood of new addresses then limits itself and does not affect known keys.
 */
export class Meters {
  private readonly meters = new Map<string, Meter>();
  private sweeper = this.meters.entries();
  private readonly overflow: Meter;
  private readonly empty: Meter;

  /** @param create creates the meter of a new key */
  constructor(
    private readonly create: () => Meter,
    private readonly maxKeys = 100_000,
  ) {
    this.overflow = create();
    this.empty = create();
  }

  /** Current number of keys. */
  get size(): number {
    return this.meters.size;
  }

  /** Counts a hit of `key` if the limit allows it; see {@link Meter.hit}. */
  hit(key: string, limit: number, nowMs: number, spanMs: number, cost = 1): Verdict {
    return this.meterOf(key, nowMs).hit(limit, nowMs, spanMs, cost);
  }

  /** What {@link hit} would return, without counting and without creating a meter for the key. */
  peek(key: string, limit: number, nowMs: number, spanMs: number, cost = 1): Verdict {
    const meter = this.meters.get(key) ?? (this.meters.size < this.maxKeys ? this.empty : this.overflow);
    return meter.peek(limit, nowMs, spanMs, cost);
  }

  /** Counts a hit of `key` that was admitted elsewhere. */
  record(key: string, limit: number, nowMs: number, spanMs: number, cost = 1): void {
    this.meterOf(key, nowMs).record(limit, nowMs, spanMs, cost);
  }

  private meterOf(key: string, nowMs: number): Meter {
    this.sweep(nowMs);
    const known = this.meters.get(key);
    if (known) return known;
    if (this.meters.size >= this.maxKeys) return this.overflow;
    const meter = this.create();
    this.meters.set(key, meter);
    return meter;
  }

  private sweep(nowMs: number): void {
    for (let step = 0; step < SWEEP_STEP; step++) {
      const next = this.sweeper.next();
      if (next.done) {
        this.sweeper = this.meters.entries();
        return;
      }
      if (next.value[1].isIdle(nowMs)) this.meters.delete(next.value[0]);
    }
  }
}
