import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { ANY_WORKER } from '#libs/worker/worker-lock.js';
import { newestMigration } from '#src/database/newest-migration.js';

const NEWEST_MIGRATION = statement(`select timestamp::text from directory.migrations order by id desc limit 1`);
const EXPECTED = newestMigration();
const PATIENCE_MS = 500;

/** What was found. */
export interface Finding {
  /** What keeps the process from serving; empty when nothing does. */
  faults: readonly string[];
  /** Whether a worker was there when that could last be seen. Without one requests are served all the same. */
  worker: boolean;
}

/** Whether this process can serve. */
@Injectable()
export class ApiHealth {
  private draining = false;
  private worker = false;
  private looking: Promise<Finding> | null = null;

  constructor(private readonly database: Database) {}

  /** From now on the process is not ready: it finishes what runs and takes nothing new. */
  drain(): void {
    this.draining = true;
  }

  /** Looks at what the process needs. Those who ask at the same time get one answer. */
  async find(): Promise<Finding> {
    if (this.draining) return { faults: ['draining'], worker: this.worker };
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
      return { faults: schema!.rows[0]?.['timestamp'] === EXPECTED ? [] : ['migrations'], worker: this.worker };
    } catch {
      // Where it answers others meanwhile, the question only waits for a connection: the process is busy, and not broken.
      return { faults: this.database.answeredAtMs > sinceMs ? [] : ['database'], worker: this.worker };
    } finally {
      clearTimeout(timer);
    }
  }
}
