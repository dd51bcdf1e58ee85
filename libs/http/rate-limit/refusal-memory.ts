import type { Verdict } from './verdict.js';

interface Refusal {
  limit: number;
  cost: number;
  untilMs: number;
  resetAtMs: number;
}

const MAX_KEYS = 10_000;

/**
 * Caches which keys the shared store has just refused and until when, so that a caller who keeps retrying costs the
 * store nothing. A slot cannot be released earlier than the store said, unless the limit is raised: then the store is
 * asked again.
 */
export class RefusalMemory {
  private readonly refusals = new Map<string, Refusal>();

  /** @param askedAtMs time before the store was asked, so that the cached refusal never outlasts the store's own */
  remember(key: string, limit: number, cost: number, verdict: Verdict, askedAtMs: number): void {
    if (this.refusals.size >= MAX_KEYS) this.refusals.delete(this.refusals.keys().next().value!);
    this.refusals.set(key, {
      limit,
      cost,
      untilMs: askedAtMs + verdict.retryAfterMs,
      resetAtMs: askedAtMs + verdict.resetMs,
    });
  }

  /** The refusal that still applies to such a hit, or null. */
  recall(key: string, limit: number, cost: number, nowMs: number): Verdict | null {
    const refusal = this.refusals.get(key);
    if (!refusal) return null;
    if (refusal.limit < limit || refusal.cost > cost || refusal.untilMs <= nowMs) {
      this.refusals.delete(key);
      return null;
    }
    return {
      allowed: false,
      remaining: 0,
      resetMs: Math.max(0, refusal.resetAtMs - nowMs),
      retryAfterMs: refusal.untilMs - nowMs,
    };
  }
}
