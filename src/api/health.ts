import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { newestMigration } from '#src/database/newest-migration.js';

const NEWEST_MIGRATION = statement(`select timestamp::text from directory.migrations order by id desc limit 1`);
const EXPECTED = newestMigration();
const PATIENCE_MS = 500;

/** Whether this process can serve. */
@Injectable()
export class ApiHealth {
  private draining = false;

  constructor(private readonly database: Database) {}

  /** From now on the process is not ready: it finishes what runs and takes nothing new. */
  drain(): void {
    this.draining = true;
  }

  /** What keeps the process from being ready; empty when nothing does. */
  async faults(): Promise<string[]> {
    if (this.draining) return ['draining'];
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('timeout')), PATIENCE_MS);
    });
    try {
      const [answer] = await Promise.race([this.database.system([NEWEST_MIGRATION]), tooLong]);
      return answer!.rows[0]?.['timestamp'] === EXPECTED ? [] : ['migrations'];
    } catch {
      return ['database'];
    } finally {
      clearTimeout(timer);
    }
  }
}
