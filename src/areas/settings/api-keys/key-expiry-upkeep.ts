import { Injectable } from '@nestjs/common';
import { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { runAsSystem } from '#libs/tenancy/scope.js';
import type { Work } from '#libs/worker/loop.js';
import { TenantFactsReader } from '#libs/worker/tenant-facts.js';
import { Upkeep } from '#libs/worker/upkeep.js';
import { ApiKeyRecords, isOver } from './api-key-records.js';
import { KeyLetters } from './key-letters.js';

const EVERY_MS = 3_600_000;
/** Days before the expiry at which it is announced. */
const NOTICE_DAYS = 14;
const DAY_MS = 86_400_000;

/** Announces API keys that expire soon, by event and email, once per secret. */
@Injectable()
export class KeyExpiryUpkeep extends Upkeep {
  private closing = false;

  constructor(
    private readonly records: ApiKeyRecords,
    private readonly letters: KeyLetters,
    private readonly tenants: TenantFactsReader,
    private readonly clock: Clock,
  ) {
    super('Notices of API keys that expire', EVERY_MS);
  }

  override stop(): Promise<void> {
    this.closing = true;
    return super.stop();
  }

  /** Sends the due announcements of every tenant. */
  async sweep(): Promise<Work> {
    for await (const tenant of this.tenants.all()) {
      if (this.closing) break;
      await runAsSystem(tenant, 'settings', uuidv7(), () => this.tellAll());
    }
    return 'none';
  }

  private async tellAll(): Promise<void> {
    const now = this.clock.now().toISOString();
    const until = new Date(this.clock.nowMs() + NOTICE_DAYS * DAY_MS).toISOString();
    for (const { id, expiresAt } of await this.records.rows.untold())
      if (expiresAt! <= until) await this.tell(id, now, until);
  }

  private tell(id: string, now: string, until: string): Promise<void> {
    const { objects, rows } = this.records;
    return objects.unit(async (transaction) => {
      const before = await rows.lock(transaction, id);
      if (before?.expiresAt == null || before.expiresAt > until) return;
      if (before.notifiedAt !== null || isOver(before, now)) return;
      const after = { ...before, notifiedAt: now };
      objects.record(transaction, { event: 'expiring', before, after, save: rows.replace(after), riskLevel: 'low' });
      await this.letters.expiring(transaction, after, before.expiresAt, now);
    });
  }
}
