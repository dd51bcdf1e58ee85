import { currentScope } from '#libs/tenancy/scope.js';
import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { Database } from '#libs/database/database.js';
import { AddressLimits } from '#libs/http/address-limits.js';
import { Clock } from '#libs/kernel/clock.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import type { AnnouncedWindow } from '#libs/maintenance/announced-window.js';
import { MaintenanceCalendar } from '#libs/maintenance/maintenance-calendar.js';
import { within } from '#libs/outbound/deadline.js';
import { BACKGROUND_LAG, type BackgroundLag } from '#libs/worker/background-lag.js';
import { ANY_WORKER } from '#libs/worker/worker-lock.js';
import { DAYS_AHEAD, MAX_WINDOWS, type PlatformStatus } from './status.dto.js';
import { componentsOf, overallOf, type Signals } from './status-rules.js';

const PATIENCE_MS = 2_000;

/** The status of the platform for everybody. It reveals nothing about tenants. */
@Injectable()
export class StatusService {
  private readonly sendsMail: boolean;
  private measuring: Promise<Signals> | null = null;
  /** As last read, because the database may be out during the maintenance. */
  private windows: readonly AnnouncedWindow[] = [];

  constructor(
    private readonly database: Database,
    private readonly addresses: AddressLimits,
    private readonly clock: Clock,
    private readonly calendar: MaintenanceCalendar,
    @Inject(SETTINGS_TOKEN) { SMTP_URL: mailServer }: Pick<Settings, 'SMTP_URL'>,
  ) {
    this.sendsMail = mailServer !== null;
  }

  /** @throws Problem 429 `rate_limit_exceeded`. */
  async read(): Promise<PlatformStatus> {
    const refusal = await this.addresses.count(currentScope().clientIp ?? '', 'documents');
    if (refusal) throw refusal;
    this.measuring ??= this.measure().finally(() => (this.measuring = null)); // concurrent requests share one
    const components = componentsOf(await this.measuring);
    const updatedAt = this.clock.now().toISOString();
    return {
      status: overallOf(components),
      components: [...components].map(([key, status]) => ({ key, status })),
      maintenance: this.windows.filter(({ endsAt }) => endsAt > updatedAt).slice(0, MAX_WINDOWS),
      updatedAt,
    };
  }

  private async measure(): Promise<Signals> {
    const { sendsMail } = this;
    const sinceMs = performance.now();
    try {
      const [worker, lags] = await within(PATIENCE_MS, this.database.system([ANY_WORKER, BACKGROUND_LAG]));
      const databaseMs = performance.now() - sinceMs;
      this.windows = await within(PATIENCE_MS, this.announced());
      return {
        databaseMs,
        hasWorker: worker!.rows[0]!['present'] === true,
        lags: (lags!.rows[0] as BackgroundLag | undefined) ?? null,
        sendsMail,
      };
    } catch {
      return { databaseMs: null, hasWorker: false, lags: null, sendsMail };
    }
  }

  private announced(): Promise<AnnouncedWindow[]> {
    const now = this.clock.nowMs();
    const until = new Date(now + DAYS_AHEAD * DAY_MS);
    return this.calendar.ofPlatform(new Date(now).toISOString(), until.toISOString());
  }
}
