import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { Database } from '#libs/database/database.js';
import { AddressLimits } from '#libs/http/address-limits.js';
import { Clock } from '#libs/kernel/clock.js';
import { within } from '#libs/outbound/deadline.js';
import { BACKGROUND_LAG, type BackgroundLag } from '#libs/worker/background-lag.js';
import { ANY_WORKER } from '#libs/worker/worker-lock.js';
import type { PlatformStatus } from './status.dto.js';
import { componentsOf, overallOf, type Signals } from './status-rules.js';

const PATIENCE_MS = 2_000;

/** The status of the platform for everybody. It reveals nothing about tenants. */
@Injectable()
export class StatusService {
  private readonly sendsMail: boolean;
  private measuring: Promise<Signals> | null = null;

  constructor(
    private readonly database: Database,
    private readonly addresses: AddressLimits,
    private readonly clock: Clock,
    @Inject(SETTINGS_TOKEN) { SMTP_URL: mailServer }: Pick<Settings, 'SMTP_URL'>,
  ) {
    this.sendsMail = mailServer !== null;
  }

  /** @throws Problem 429 `rate_limit_exceeded`. */
  async read(ip: string): Promise<PlatformStatus> {
    const refusal = await this.addresses.count(ip, 'documents');
    if (refusal) throw refusal;
    this.measuring ??= this.measure().finally(() => (this.measuring = null)); // concurrent requests share one
    const components = componentsOf(await this.measuring);
    return {
      status: overallOf(components),
      components: [...components].map(([key, status]) => ({ key, status })),
      updatedAt: this.clock.now().toISOString(),
    };
  }

  private async measure(): Promise<Signals> {
    const { sendsMail } = this;
    const sinceMs = performance.now();
    try {
      const [worker, lags] = await within(PATIENCE_MS, this.database.system([ANY_WORKER, BACKGROUND_LAG]));
      return {
        databaseMs: performance.now() - sinceMs,
        hasWorker: worker!.rows[0]!['present'] === true,
        lags: (lags!.rows[0] as BackgroundLag | undefined) ?? null,
        sendsMail,
      };
    } catch {
      return { databaseMs: null, hasWorker: false, lags: null, sendsMail };
    }
  }
}
