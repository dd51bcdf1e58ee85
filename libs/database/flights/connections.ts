import type { Pool, PoolClient } from 'pg';
import { type DurationFigures, RecentDurations } from '#libs/metrics/recent-durations.js';
import { sendUnnamed, timeFlights } from './flight.js';

/** Number of connections that a process with slow growth opens at once. */
const FIRST = 3;
/** How long it then waits before it opens another one. */
const PATIENCE_MS = 250;

/** Connection options of a process, in addition to those of `pg`. */
export interface ConnectionOptions {
  /** Whether statements are prepared per connection. Not every pooler supports this (ADR 3). */
  namesStatements: boolean;
  /**
   * Whether work waits for an existing connection before a new one is opened. In a new connection, PostgreSQL reads
   * the catalogue and plans all statements again. That costs 50 to 100 ms of CPU time, which does not help on a busy
   * machine.
   */
  growsSlowly: boolean;
}

/** A pool as created by `dataSource`. */
export interface DriverPool extends Pool {
  options: Pool['options'] & ConnectionOptions;
}

/** The connections of this process to PostgreSQL: a `pg` pool that TypeORM has created. */
export class Connections {
  private readonly most: number;
  private readonly waits = new RecentDurations();
  private readonly flights = new RecentDurations();

  constructor(private readonly pool: DriverPool) {
    const { max, namesStatements, growsSlowly } = pool.options;
    this.most = max;
    if (growsSlowly) {
      const first = Math.min(FIRST, max);
      pool.options.max = first;
      pool.on('remove', () => (pool.options.max = Math.max(pool.totalCount, first)));
    }
    pool.on('error', () => undefined); // an idle connection was lost; the pool opens another one when needed
    // If a connection is lost between two statements of a transaction, the next statement fails. Without a listener,
    // the error would end the process. Not registered at `connect`, because TypeORM has already opened the first
    // connection.
    const heard = new WeakSet<PoolClient>();
    pool.on('acquire', (client) => {
      if (heard.has(client)) return;
      heard.add(client);
      client.on('error', () => undefined);
      timeFlights(client, this.flights);
      if (!namesStatements) sendUnnamed(client);
    });
  }

  /** How long callers waited for a connection, and how long round trips took. */
  get durations(): { waits: DurationFigures; flights: DurationFigures } {
    return { waits: this.waits.figures(), flights: this.flights.figures() };
  }

  /** For metrics. */
  get figures(): { total: number; idle: number; used: number; waiting: number } {
    const { totalCount: total, idleCount: idle, waitingCount: waiting } = this.pool;
    return { total, idle, used: total - idle, waiting };
  }

  /**
   * Takes a connection; the caller must release it. @throws Error if none becomes free in time or none can be opened.
   */
  async take(): Promise<PoolClient> {
    const startedMs = performance.now();
    try {
      return await this.connect();
    } finally {
      this.waits.record(performance.now() - startedMs);
    }
  }

  private async connect(): Promise<PoolClient> {
    const { pool } = this;
    const isFree = pool.idleCount > pool.waitingCount || pool.totalCount < pool.options.max;
    if (isFree || pool.options.max === this.most) return pool.connect();
    const timer = setTimeout(() => this.grow(), PATIENCE_MS);
    try {
      return await pool.connect();
    } finally {
      clearTimeout(timer);
    }
  }

  /** Opens another connection for the request that has waited longest. */
  private grow(): void {
    if (this.pool.options.max >= this.most) return;
    this.pool.options.max += 1;
    this.pool.connect().then(
      (client) => client.release(),
      () => undefined, // the waiters fail by their own timeout
    );
  }
}
