import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { Principal } from '#libs/auth/principal.js';
import { Database } from '#libs/database/database.js';
import { isRefusedRow, OutageProblem } from '#libs/database/failures.js';
import { Clock } from '#libs/kernel/clock.js';
import { MINUTE_MS } from '#libs/kernel/durations.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { runAsSystem, scopeOrNull, type TenantFacts } from '#libs/tenancy/scope.js';
import { type Figures, figuresOf, keep } from './count-statements.js';
import { ProcessCoverage } from './process-coverage.js';
import {
  type Answered,
  CountedRequest,
  type DayCount,
  type KeyCount,
  MinuteCount,
  NO_KEY,
  type RateClass,
  TenantMinute,
} from './request-counts.js';

/** Interval between writes, ms: the maximum loss if the process is killed. */
const FLUSH_MS = 10_000;
/** Maximum delay of figures of other processes, ms: their flush interval plus the time to write. */
const LATENESS_MS = FLUSH_MS + 5_000;

/** Maximum number of a tenant's rows kept while the database is unavailable; beyond that the oldest are dropped. */
const MOST_WAITING = 20_000;

type Days = Record<RateClass, DayCount>;

/**
 * Counts the requests of each tenant in memory and writes the statistics every ten seconds and at shutdown.
 *
 * A request is counted when the limiter counts it and completed when the response is sent, so usage and limit always
 * agree, even for requests without a response. A request costs a few map look-ups.
 */
@Injectable()
export class RequestAccounts implements OnModuleInit {
  private readonly logger = new Logger('accounting');
  /** Part of each row's key, so that processes never share a row. */
  private processId = uuidv7();
  private minute = 0;
  private date = '';
  /** By credential, method and route, for the current minute. */
  private minutes = new Map<string, Map<string, Map<string, MinuteCount>>>();
  /** By tenant, for the current minute. */
  private totals = new Map<string, TenantMinute>();
  /** By tenant, for the current day. */
  private days = new Map<string, Days>();
  /** By key, method and route, for the current day. */
  private keys = new Map<string, Map<string, Map<string, KeyCount>>>();
  /** Statistics changed since the last write, by tenant. */
  private readonly waiting = new Map<string, MinuteCount[]>();
  private readonly underway = new Map<string, Promise<void>>();
  /** Requests without a response yet, by tenant. */
  private readonly open = new Map<string, number>();
  private flushing: Promise<void> | null = null;
  private failing = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly coverage: ProcessCoverage,
  ) {}

  onModuleInit(): void {
    this.timer = setInterval(() => void this.flush(), FLUSH_MS).unref();
  }

  /** Records a request that the limiter has counted; {@link answered} completes it. */
  admitted(principal: Principal, rateClass: RateClass, route: string, method: string): CountedRequest {
    const request = new CountedRequest(this.countOf(principal, rateClass, route, method));
    this.enqueue(request.count);
    this.open.set(principal.tenant.id, this.inFlight(principal.tenant.id) + 1);
    return request;
  }

  /** Records a request that the limiter has rejected. */
  refused(principal: Principal, rateClass: RateClass, route: string, method: string): void {
    const count = this.countOf(principal, rateClass, route, method);
    count.c429++;
    count.place.day.refused++;
    count.place.key.refused++;
    this.enqueue(count);
  }

  /** Records a request that was refused as `overloaded` before the limiter could count it. */
  overloaded(principal: Principal, rateClass: RateClass, route: string, method: string): void {
    const count = this.countOf(principal, rateClass, route, method);
    count.failed();
    this.enqueue(count);
  }

  /** Ends a request recorded by {@link admitted} whose caller left without a response after `ms`. */
  abandoned(request: CountedRequest, ms: number): void {
    request.end();
    request.count.abandoned(ms);
    this.ended(request.count);
  }

  /** Completes a request recorded by {@link admitted}, even in a later minute. */
  answered(request: CountedRequest, how: Answered): void {
    request.end();
    request.count.answered(how, request.isEvent);
    this.ended(request.count);
  }

  /**
   * Keeps the current request out of service levels: it does at once what many requests do otherwise, such as loading
   * sample data.
   */
  excuse(): void {
    const own = scopeOrNull()?.counted;
    if (own instanceof CountedRequest) own.isEvent = false;
  }

  /** Key of the rows that this process writes. */
  get ownProcessId(): string {
    return this.processId;
  }

  /** Requests of a tenant that this process is working on. */
  inFlight(tenantId: string): number {
    return this.open.get(tenantId) ?? 0;
  }

  /** Writes all changed statistics. Never fails: failed writes are retried at the next flush. */
  flush(): Promise<void> {
    return (this.flushing ??= this.flushAll().finally(() => (this.flushing = null)));
  }

  /**
   * Writes the statistics of one tenant in this process. If a request of the tenant asks for that, it is left out of
   * them until its response. @throws Problem `unavailable` without the database.
   */
  async flushTenant(tenantId: string): Promise<void> {
    const own = scopeOrNull()?.counted;
    if (own instanceof CountedRequest && own.count.place.tenant.id === tenantId && own.leaveOut())
      this.enqueue(own.count);
    const before = this.underway.get(tenantId) ?? Promise.resolve();
    const mine = before.catch(() => undefined).then(() => this.write(tenantId));
    this.underway.set(tenantId, mine);
    try {
      await mine;
    } finally {
      if (this.underway.get(tenantId) === mine) this.underway.delete(tenantId);
    }
  }

  /**
   * Writes the statistics of one tenant in this process; returns the time up to which stored ones are complete, ms. A
   * failed write does not fail the caller.
   */
  async completeTo(tenantId: string, nowMs: number): Promise<number> {
    try {
      await this.flushTenant(tenantId);
      return nowMs - LATENESS_MS;
    } catch {
      return Math.min(nowMs - LATENESS_MS, this.waitingSince(tenantId) ?? nowMs);
    }
  }

  /** Time of a tenant's oldest unwritten statistics, ms; null if there are none. */
  waitingSince(tenantId: string): number | null {
    const minutes = this.waiting.get(tenantId)?.map(({ place }) => place.minute);
    return minutes ? Math.min(...minutes) * MINUTE_MS : null;
  }

  /** Writes the remaining statistics. Call only after all requests have completed. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.flushing;
    await this.flush();
  }

  private countOf(principal: Principal, rateClass: RateClass, route: string, method: string): MinuteCount {
    const minute = Math.floor(this.clock.nowMs() / MINUTE_MS);
    if (minute !== this.minute) this.begin(minute);
    const routes = entry(
      entry(this.minutes, principal.credentialId, newMap<Map<string, MinuteCount>>),
      method,
      newMap<MinuteCount>,
    );
    let count = routes.get(route);
    if (!count) {
      const { tenant, credentialId, kind: credentialKind } = principal;
      const day = entry(this.days, tenant.id, () => this.newDays())[rateClass];
      const key = this.keyOf(principal, route, method);
      const total = entry(this.totals, tenant.id, () => new TenantMinute(minute, this.processId));
      count = new MinuteCount({ tenant, credentialId, credentialKind, route, method, minute, day, key, total });
      routes.set(route, count);
    }
    return count;
  }

  /** If the clock is set back, a minute starts again; its statistics then use separate rows. */
  private begin(minute: number): void {
    const date = new Date(minute * MINUTE_MS).toISOString().slice(0, 10);
    const back = minute < this.minute;
    if (back) this.processId = uuidv7();
    if (back || date !== this.date) {
      this.days = new Map();
      this.keys = new Map();
    }
    this.minutes = new Map();
    this.totals = new Map();
    this.minute = minute;
    this.date = date;
  }

  /** The number of sessions is unbounded, so they share one key; statistics per session exist only by minute. */
  private keyOf({ tenant, kind, lineageId }: Principal, route: string, sent: string): KeyCount {
    const method = sent === 'HEAD' ? 'GET' : sent; // one operation
    const keyId = kind === 'api_key' ? lineageId : NO_KEY;
    const methods = entry(this.keys, `${tenant.id} ${keyId}`, newMap<Map<string, KeyCount>>);
    const none = { revision: 0, counted: 0, refused: 0, c4xx: 0, c5xx: 0, replays: 0 };
    return entry(entry(methods, method, newMap<KeyCount>), route, () => {
      const { date, processId } = this;
      return { keyId, date, route, method, processId, ...none, permissions: new Set<string>() };
    });
  }

  private newDays(): Days {
    const { date, processId } = this;
    const none = { date, processId, revision: 0, counted: 0, refused: 0, errors: 0, serverErrors: 0, replays: 0 };
    return { read: { ...none, rateClass: 'read' }, write: { ...none, rateClass: 'write' } };
  }

  private ended(count: MinuteCount): void {
    const { id } = count.place.tenant;
    const open = this.inFlight(id) - 1;
    if (open > 0) this.open.set(id, open);
    else this.open.delete(id);
    this.enqueue(count);
  }

  private enqueue(count: MinuteCount): void {
    if (count.waits) return;
    count.waits = true;
    entry(this.waiting, count.place.tenant.id, newList<MinuteCount>).push(count);
  }

  private async flushAll(): Promise<void> {
    let failure: string | null = null;
    const tenantIds = [...this.waiting.keys()];
    const note = (error: unknown): void => {
      if (!(error instanceof OutageProblem)) failure = String(error); // Database logs outages
    };
    await this.coverage.report(tenantIds).catch(note);
    for (const tenantId of tenantIds) await this.flushTenant(tenantId).catch(note);
    if (failure !== null && !this.failing) this.logger.error(`Figures of requests could not be written: ${failure}`);
    if (failure === null && this.failing) this.logger.warn('Figures of requests are written again');
    this.failing = failure !== null;
  }

  private async write(tenantId: string): Promise<void> {
    const counts = this.waiting.get(tenantId);
    if (!counts) return;
    this.waiting.delete(tenantId);
    for (const count of counts) count.waits = false;
    try {
      await this.store(counts[0]!.place.tenant, figuresOf(counts));
    } catch (error) {
      for (const count of counts.slice(-MOST_WAITING)) this.enqueue(count);
      throw error;
    }
  }

  /** Writes statistics. If the database rejects a batch, it is split until only the failing row is dropped. */
  private async store(tenant: TenantFacts, figures: readonly Figures[]): Promise<void> {
    try {
      await runAsSystem(tenant, 'accounting', uuidv7(), () => this.database.aside(keep(tenant.id, figures)));
    } catch (error) {
      if (!isRefusedRow(error)) throw error;
      if (figures.length === 1)
        return this.logger.error(`Figures of requests are lost, no row takes them: ${String(error)}`);
      const half = Math.ceil(figures.length / 2);
      await this.store(tenant, figures.slice(0, half));
      await this.store(tenant, figures.slice(half));
    }
  }
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}

const newMap = <V>(): Map<string, V> => new Map<string, V>();
const newList = <V>(): V[] => [];
