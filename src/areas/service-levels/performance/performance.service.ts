import { Injectable } from '@nestjs/common';
import { CoverageFigures } from '#libs/request-counts/coverage-figures.js';
import { PerformanceFigures } from '#libs/request-counts/performance-figures.js';
import { RequestAccounts } from '#libs/request-counts/request-accounts.js';
import { percentOf } from '#libs/kernel/fraction.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#libs/kernel/durations.js';
import { type Span } from '#libs/request-counts/span.js';
import { Database } from '#libs/database/database.js';
import { API_VERSION } from '#libs/http/api-version.js';
import { Clock } from '#libs/kernel/clock.js';
import { ProcessFigures } from '#libs/metrics/process-figures.js';
import { TenantReader } from '#libs/tenants/tenant-reader.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { BACKGROUND_LAG, type BackgroundLag } from '#libs/worker/background-lag.js';
import { ANY_WORKER } from '#libs/worker/worker-lock.js';
import { DatabaseStatistics } from './database-statistics.js';
import { httpOf, lacksLongest, routesOf } from './http-performance.js';
import type {
  DatabasePerformance,
  Performance,
  PerformanceQuery,
  ProcessPerformance,
  Scope,
  Unavailable,
  WindowName,
  WorkerPerformance,
} from './performance.dto.js';
import { QueueStatistics } from './queue-statistics.js';

const WINDOW_MS: Readonly<Record<WindowName, number>> = {
  '5m': 5 * MINUTE_MS,
  '1h': HOUR_MS,
  '24h': DAY_MS,
  '7d': 7 * DAY_MS,
};

/** How the service performs for the current tenant, and how process, database and workers are doing. */
@Injectable()
export class PerformanceService {
  constructor(
    private readonly requests: PerformanceFigures,
    private readonly coverage: CoverageFigures,
    private readonly accounts: RequestAccounts,
    private readonly statistics: DatabaseStatistics,
    private readonly queues: QueueStatistics,
    private readonly process: ProcessFigures,
    private readonly tenants: TenantReader,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async read({ window = '1h', route, sort = 'count', scope = 'tenant' }: PerformanceQuery): Promise<Performance> {
    const { id } = currentTenant();
    await this.accounts.flushTenant(id);
    const span = await this.spanOf(window, scope);
    const processId = scope === 'process' ? this.accounts.ownProcessId : null;
    const routes = await this.requests.byRoute(span, { processId, route: route ?? null });
    const { minutes, uncovered } = await this.coverage.untilNow(span);
    const seconds = (span.toMs - span.fromMs - uncovered * MINUTE_MS) / 1_000;
    const unavailable: Unavailable[] = lacksLongest(routes) ? [{ figure: 'http.maxMs', reason: 'not_recorded' }] : [];
    return {
      scope,
      period: {
        from: new Date(span.fromMs).toISOString(),
        to: new Date(span.toMs).toISOString(),
        coveragePercent: percentOf(minutes - uncovered, minutes)!, // a span has a minute
      },
      http: httpOf(routes, { seconds, inFlight: Math.max(0, this.accounts.inFlight(id) - 1) }),
      routes: routesOf(routes, sort),
      process: this.ofProcess(),
      database: await this.ofDatabase(unavailable),
      queues: await this.ofQueues(unavailable),
      worker: await this.ofWorkers(),
      unavailable,
      measuredAt: this.clock.now().toISOString(),
    };
  }

  /** Whole minutes before the current one, and what has passed of that. */
  private async spanOf(window: WindowName, scope: Scope): Promise<Span> {
    const nowMs = this.clock.nowMs();
    const createdMs = Date.parse((await this.tenants.current()).createdAt);
    const startedMs = scope === 'process' ? nowMs - process.uptime() * 1_000 : createdMs;
    const minuteOf = (ms: number) => Math.floor(ms / MINUTE_MS) * MINUTE_MS;
    return { fromMs: minuteOf(Math.max(nowMs - WINDOW_MS[window], createdMs, startedMs)), toMs: nowMs + 1 };
  }

  private ofProcess(): ProcessPerformance {
    const { rssBytes, heapUsedBytes, eventLoopDelays, ...figures } = this.process.read();
    return {
      ...figures,
      id: this.accounts.ownProcessId,
      version: API_VERSION,
      memory: { rssBytes, heapUsedBytes },
      eventLoopDelayMs: eventLoopDelays,
    };
  }

  private async ofDatabase(unavailable: Unavailable[]): Promise<DatabasePerformance> {
    const { durations, connections } = this.database;
    const { total, idle, waiting } = connections;
    const { replicationLagSeconds: lag, ...server } = await this.statistics.server();
    const statements = await this.statistics.statements();
    if (typeof lag === 'string') unavailable.push({ figure: 'database.replicationLagSeconds', reason: lag });
    if (typeof statements === 'string') unavailable.push({ figure: 'database.slowest', reason: statements });
    return {
      pool: { total, idle, waiting, acquireP95Ms: durations.waits.p95Ms },
      queryP50Ms: durations.flights.p50Ms,
      queryP95Ms: durations.flights.p95Ms,
      sampledSeconds: durations.flights.seconds,
      slowest: typeof statements === 'string' ? null : statements.statements,
      slowestSince: typeof statements === 'string' ? null : statements.since,
      ...server,
      replicationLagSeconds: typeof lag === 'string' ? null : lag,
    };
  }

  private async ofQueues(unavailable: Unavailable[]) {
    const queues = await this.queues.read();
    for (const { name, active } of queues)
      if (active === null) unavailable.push({ figure: `queues.${name}.active`, reason: 'not_recorded' });
    return queues;
  }

  private async ofWorkers(): Promise<WorkerPerformance> {
    const [worker, lags] = await this.database.system([ANY_WORKER, BACKGROUND_LAG]);
    const { ageSeconds, ...lag } = (lags!.rows[0] as BackgroundLag | undefined) ?? {
      ...{ relaySeconds: null, sealingSeconds: null, mailSeconds: null, ageSeconds: null },
    };
    return {
      present: worker!.rows[0]!['present'] === true,
      ...lag,
      measuredAt: ageSeconds === null ? null : new Date(this.clock.nowMs() - ageSeconds * 1_000).toISOString(),
    };
  }
}
