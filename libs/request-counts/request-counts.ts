import type { CredentialKind } from '#libs/auth/api-key.js';
import { NIL_UUID } from '#libs/kernel/id.js';
import type { TenantFacts } from '#libs/tenancy/scope.js';
import { outcomeOf, TIMED_OUT_MS } from './valid-events.js';

/**
 * Upper bounds of the latency buckets, ms; an additional bucket contains the rest. Never change them, so that stored
 * histograms can be added up.
 */
export const LATENCY_BOUNDS_MS = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000] as const;

/** Request classes with separate rate limits. */
export type RateClass = 'read' | 'write';

/** A tenant's requests on one day (UTC) in one class through this process. */
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
  /** Counted requests with a 4xx or 5xx response. */
  errors: number;
  /** The part of `errors` with a 5xx response. */
  serverErrors: number;
  /** Counted requests whose response was replayed from storage. */
  replays: number;
}

/** Key id for the statistics of all sessions, which have no key. */
export const NO_KEY = NIL_UUID;

/** A key's requests on one day (UTC) on one route through this process. */
export interface KeyCount {
  /** Lineage of the key, or {@link NO_KEY}. */
  keyId: string;
  date: string;
  route: string;
  method: string;
  processId: string;
  /** As in {@link DayCount}. */
  revision: number;
  counted: number;
  refused: number;
  c4xx: number;
  c5xx: number;
  replays: number;
  /** Permissions required by successful requests (below 400); empty for sessions. */
  readonly permissions: Set<string>;
}

/** A tenant's valid events in one minute through this process. */
export class TenantMinute {
  /** As in {@link DayCount}. */
  revision = 0;
  good = 0;
  bad = 0;
  /** Latency of the good ones. */
  readonly goodLatency = noLatency();

  constructor(
    /** Minutes since the Unix epoch. */
    readonly minute: number,
    readonly processId: string,
  ) {}
}

function noLatency(): number[] {
  return new Array<number>(LATENCY_BOUNDS_MS.length + 1).fill(0);
}

/** Outcome of a request. */
export interface Answered {
  status: number;
  /** Until the response was sent. */
  ms: number;
  bytes: number;
  replayed: boolean;
  /** Permissions that the request required. */
  permissions: Iterable<string>;
}

/** Identifies request counts: one credential, route and minute. */
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
  key: KeyCount;
  total: TenantMinute;
}

/**
 * Counts of one credential on one route in one minute in this process. Counts only increase, so repeated writes are
 * harmless.
 */
export class MinuteCount {
  revision = 0;
  /** Whether it has changed since the last write. */
  waits = false;
  /** Requests that the limiter counted; requests without a response are in none of the classes below. */
  count = 0;
  /** Responses below 400. */
  c2xx = 0;
  c4xx = 0;
  /** Rejected by the limiter and therefore not in {@link count}. */
  c429 = 0;
  c5xx = 0;
  /** Counted requests whose response was replayed from storage. */
  replays = 0;
  bytesOut = 0;
  readonly latency = noLatency();
  /** The slowest response, ms; null without responses. */
  maxMs: number | null = null;
  /** Valid events that succeeded. */
  good = 0;
  /** Valid events that failed, including requests that the limiter never counted because the service was overloaded. */
  bad = 0;
  /** Latency of the good ones. */
  readonly goodLatency = noLatency();
  readonly processId: string;

  constructor(readonly place: CountPlace) {
    this.processId = place.day.processId;
  }

  /** @param isEvent whether the response can be a valid event */
  answered({ status, ms, bytes, replayed, permissions }: Answered, isEvent: boolean): void {
    const { day, key } = this.place;
    if (status < 400) {
      this.c2xx++;
      if (key.keyId !== NO_KEY) for (const each of permissions) key.permissions.add(each);
    } else {
      day.errors++;
      if (status < 500) {
        this.c4xx++;
        key.c4xx++;
      } else {
        this.c5xx++;
        key.c5xx++;
        day.serverErrors++;
      }
    }
    if (replayed) {
      this.replays++;
      day.replays++;
      key.replays++;
    }
    this.bytesOut += bytes;
    let bucket = 0;
    while (bucket < LATENCY_BOUNDS_MS.length && ms > LATENCY_BOUNDS_MS[bucket]!) bucket++;
    this.latency[bucket]!++;
    this.maxMs = Math.max(this.maxMs ?? 0, Math.ceil(ms));
    const outcome = isEvent ? outcomeOf(status) : null;
    if (outcome === 'bad') this.failed();
    if (outcome === 'good') {
      const { total } = this.place;
      this.good++;
      this.goodLatency[bucket]!++;
      total.good++;
      total.goodLatency[bucket]!++;
    }
  }

  /** Counts a valid event that failed. */
  failed(): void {
    this.bad++;
    this.place.total.bad++;
  }

  /** The caller has left without a response after `ms`. */
  abandoned(ms: number): void {
    if (ms >= TIMED_OUT_MS) this.failed();
  }
}

/** A request that the limiter has counted, from its admission to its response. */
export class CountedRequest {
  private isLeftOut = false;
  private isOpen = true;
  /** Whether its response counts as a valid event of service levels, if it is one. */
  isEvent = true;

  constructor(readonly count: MinuteCount) {
    this.add(1);
  }

  /** Takes the request out of the counts until it ends; false if that is so already, or it has ended. */
  leaveOut(): boolean {
    if (this.isLeftOut || !this.isOpen) return false;
    this.isLeftOut = true;
    this.add(-1);
    return true;
  }

  end(): void {
    if (this.isLeftOut) this.add(1);
    this.isLeftOut = false;
    this.isOpen = false;
  }

  private add(requests: number): void {
    const { day, key } = this.count.place;
    this.count.count += requests;
    day.counted += requests;
    key.counted += requests;
  }
}
