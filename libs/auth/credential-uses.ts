import { Injectable, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Clock } from '#libs/kernel/clock.js';

const RECORD = `select directory.record_uses($1::uuid[], $2::timestamptz[])`;
const FLUSH_MS = 30_000;

/** When each credential was last used, written in batches: at most one row per credential and half minute. */
@Injectable()
export class CredentialUses implements OnModuleInit, BeforeApplicationShutdown {
  private readonly uses = new Map<string, number>();
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.timer = setInterval(() => void this.flush(), FLUSH_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.flush();
  }

  note(credentialId: string): void {
    this.uses.set(credentialId, this.clock.nowMs());
  }

  /** Never fails the caller: what cannot be written now is kept for the next time. */
  async flush(): Promise<void> {
    const batch = [...this.uses];
    if (batch.length === 0) return;
    this.uses.clear();
    try {
      const times = batch.map(([, ms]) => new Date(ms).toISOString());
      await this.database.system([statement(RECORD, [batch.map(([id]) => id), times])]);
    } catch {
      for (const [id, ms] of batch) if (!this.uses.has(id)) this.uses.set(id, ms);
    }
  }
}
