import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { ANY_WORKER } from '#libs/worker/worker-lock.js';
import { newestMigration } from '#src/database/newest-migration.js';

const NEWEST_MIGRATION = statement(`select timestamp::text from directory.migrations order by id desc limit 1`);
const EXPECTED = newestMigration();
const PATIENCE_MS = 500;

/** Result of a readiness check. */
export interface Finding {
  /** Reasons why the process cannot serve requests; empty when it can. */
  faults: readonly string[];
  /** Whether a worker was running at the last successful check. Requests are served without one, too. */
  worker: boolean;
  /** Whether the database refuses what this process writes, for want of space. Requests that read are served. */
  full: boolean;
}

/** Checks whether this process can serve requests. */
@Injectable()
export class ApiHealth {
  private draining = false;
  private worker = false;
  private looking: Promise<Finding> | null = null;

  constructor(private readonly database: Database) {}

  /** Marks the process as not ready; it finishes running requests and accepts no new ones. */
  drain(): void {
    this.draining = true;
  }

  /** Runs the checks. Concurrent callers share one result. */
  async find(): Promise<Finding> {
    if (this.draining) return this.finding(['draining']);
    this.looking ??= this.look().finally(() => (this.looking = null));
    return this.looking;
  }

  private async look(): Promise<Finding> {
    const sinceMs = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('timeout')), PATIENCE_MS);
    });
    try {
      const [schema, workers] = await Promise.race([this.database.system([NEWEST_MIGRATION, ANY_WORKER]), tooLong]);
      this.worker = workers!.rows[0]!['present'] === true;
      return this.finding(schema!.rows[0]?.['timestamp'] === EXPECTED ? [] : ['migrations']);
    } catch {
      // If other statements were answered meanwhile, this one was only waiting for a connection: the process is busy,
      // not broken.
      return this.finding(this.database.answeredAtMs > sinceMs ? [] : ['database']);
    } finally {
      clearTimeout(timer);
    }
  }

  private finding(faults: readonly string[]): Finding {
    return { faults, worker: this.worker, full: this.database.isFull };
  }
}
