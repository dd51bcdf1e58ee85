import { Injectable } from '@nestjs/common';
import { Clock } from '#libs/kernel/clock.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { TenantFactsReader } from '#libs/worker/tenant-facts.js';
import { TenantUpkeep } from '#libs/worker/tenant-upkeep.js';
import { ApiKeyRecords, isOver } from './api-key-records.js';
import { KeyLetters } from './key-letters.js';

const EVERY_MS = 3_600_000;
/** Days before the expiry at which it is announced. */
const NOTICE_DAYS = 14;

/** Announces API keys that expire soon, by event and notification, once per secret. */
@Injectable()
export class KeyExpiryUpkeep extends TenantUpkeep {
  readonly onBehalf = { of: 'platform', because: 'upkeep' } as const;

  constructor(
    private readonly records: ApiKeyRecords,
    private readonly letters: KeyLetters,
    tenants: TenantFactsReader,
    private readonly clock: Clock,
  ) {
    super('Notices of API keys that expire', EVERY_MS, 'settings', tenants);
  }

  protected async keepUp(): Promise<void> {
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
      await this.letters.expiring(transaction, after, before.expiresAt);
    });
  }
}
