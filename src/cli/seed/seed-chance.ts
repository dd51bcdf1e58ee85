/** Deterministic pseudo-random numbers, so that benchmarks with the same seed use the same data. */
export class Chance {
  private state: number;

  /** @param seed any whole number. */
  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** A number from 0 (inclusive) to 1 (exclusive). `Source:` mulberry32, public domain. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A number from `min` (inclusive) to `max` (exclusive). */
  between(min: number, max: number): number {
    return min + this.next() * (max - min);
  }

  /** An integer from 0 (inclusive) to `end` (exclusive). */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  /** True with this probability. */
  happens(share: number): boolean {
    return this.next() < share;
  }

  /** One of the items with equal probability. */
  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  /** One of the items with probability proportional to its weight. */
  weigh<T>(items: readonly (readonly [item: T, weight: number])[]): T {
    let rest = this.next() * items.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [item, weight] of items) if ((rest -= weight) < 0) return item;
    return items.at(-1)![0];
  }

  /** A log-normal number with this median; `spread` is the standard deviation of the logarithm. */
  skewed(median: number, spread: number): number {
    const normal = Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
    return median * Math.exp(spread * normal);
  }
}
