import type { CredentialKind } from '#libs/auth/api-key.js';
import type { TenantFacts } from '#libs/tenancy/scope.js';

/**
 * Upper bounds of the latency buckets, ms; one more bucket takes the rest. Never change them, so that histograms can be
 * added.
 */
export const LATENCY_BOUNDS_MS = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000] as const;

/** Classes that a plan limits separately. */
export type RateClass = 'read' | 'write';

/** What a tenant did on one day (UTC) in one class through this process. */
export interface DayCount {
  date: string;
  rateClass: RateClass;
  processId: string;
  /** Number of writes; the stored row has the highest. */
  revision: number;
  /** Requests that the limiter counted. */
  counted: number;
  /** Requests that the limiter refused. */
  refused: number;
  /** Counted requests answered with 4xx or 5xx. */
  errors: number;
}

/** Key of request counts: one credential, route and minute. */
export interface CountPlace {
  tenant: TenantFacts;
  credentialId: string;
  credentialKind: CredentialKind;
  /** Template, e.g. `/api/v1/sales/deals/:id`. */
  route: string;
  method: string;
  /** Minutes since the Unix epoch. */
  minute: number;
  day: DayCount;
}

/**
 * Counts of one credential on one route in one minute in this process. The figures only grow, so writing them again is
 * harmless.
 */
export class MinuteCount {
  revision = 0;
  /** Whether it has grown since it was last written. */
  waits = false;
  /** Requests that the limiter counted; unanswered ones are in none of the classes below. */
  count = 0;
  /** Responses below 400. */
  c2xx = 0;
  c4xx = 0;
  /** Refused by the limiter, hence not in {@link count}. */
  c429 = 0;
  c5xx = 0;
  bytesOut = 0;
  readonly latency: number[] = new Array<number>(LATENCY_BOUNDS_MS.length + 1).fill(0);
  readonly processId: string;

  constructor(readonly place: CountPlace) {
    this.processId = place.day.processId;
  }

  /**
   * @param ms until the response was sent
   */
  answered(status: number, ms: number, bytes: number): void {
    if (status < 400) this.c2xx++;
    else {
      this.place.day.errors++;
      if (status < 500) this.c4xx++;
      else this.c5xx++;
    }
    this.bytesOut += bytes;
    let bucket = 0;
    while (bucket < LATENCY_BOUNDS_MS.length && ms > LATENCY_BOUNDS_MS[bucket]!) bucket++;
    this.latency[bucket]!++;
  }
}
