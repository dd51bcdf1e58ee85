import type { Pool, PoolClient } from 'pg';
import { sendUnnamed } from './flight.js';

/** What a process that can wait opens at once. */
const FIRST = 3;
/** How long it then waits for one of them before it opens another. */
const PATIENCE_MS = 250;

/** How the connections of a process are used, beside what `pg` knows of. */
export interface ConnectionOptions {
  /** Whether PostgreSQL keeps statements prepared for a connection; not through every pooler (ADR 3). */
  namesStatements: boolean;
  /**
   * Whether work waits for a connection that is there before another one is opened: each has PostgreSQL read the catalogue
   * and plan all statements anew, 50 to 100 ms of CPU time, and is no quicker on a busy machine.
   */
  growsSlowly: boolean;
}

/** A pool as `dataSource` makes it. */
export interface DriverPool extends Pool {
  options: Pool['options'] & ConnectionOptions;
}

/** The connections of this process to PostgreSQL: those of a pool of `pg`, which TypeORM has made. */
export class Connections {
  private readonly most: number;

  constructor(private readonly pool: DriverPool) {
    const { max, namesStatements, growsSlowly } = pool.options;
    this.most = max;
    if (growsSlowly) {
      const first = Math.min(FIRST, max);
      pool.options.max = first;
      pool.on('remove', () => (pool.options.max = Math.max(pool.totalCount, first)));
    }
    pool.on('error', () => undefined); // an idle connection was lost; the pool opens another one when needed
    // One that is lost between two statements of a transaction fails the next of them; unheard it would end the process.
    // Not at `connect`: TypeORM has opened the first connection already.
    const heard = new WeakSet<PoolClient>();
    pool.on('acquire', (client) => {
      if (heard.has(client)) return;
      heard.add(client);
      client.on('error', () => undefined);
      if (!namesStatements) sendUnnamed(client);
    });
  }

  /** For metrics. */
  get figures(): { total: number; idle: number; waiting: number } {
    return { total: this.pool.totalCount, idle: this.pool.idleCount, waiting: this.pool.waitingCount };
  }

  /** A connection, to be released. @throws Error when none becomes free in time, or none can be opened. */
  async take(): Promise<PoolClient> {
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

  /** Opens another one for whoever waits longest. */
  private grow(): void {
    if (this.pool.options.max >= this.most) return;
    this.pool.options.max += 1;
    this.pool.connect().then(
      (client) => client.release(),
      () => undefined, // those who wait are told by their own time limit
    );
  }
}
