import { Injectable } from '@nestjs/common';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { guarantorOf } from '#libs/auth/guarantors.js';
import { personOf } from '#libs/auth/principal.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { MEMBER, mustExist } from '#libs/resource/access/references.js';
import type { GovernedObjects } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { Deleted } from '#libs/resource/types/record.dto.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { ExportTables } from '../table/export-tables.js';
import { cronFaults } from './cron.js';
import type { ExportSchedule, ShownSchedule } from './export-schedule.js';
import { ScheduleRecords } from './schedule-records.js';
import { ScheduleTimers } from './schedule-timers.js';

type Settable = Pick<ExportSchedule, 'name' | 'query' | 'format' | 'locale' | 'byteOrderMark' | 'cron' | 'timeZone' | 'recipientIds' | 'paused'>; // prettier-ignore
export type NewSchedule = Pick<ExportSchedule, 'name' | 'type' | 'format' | 'cron'> & Partial<Settable>;
export type SchedulePatch = Partial<Settable>;

/** The caller's own schedules. */
@Injectable()
export class SchedulesService {
  readonly objects: GovernedObjects<ExportSchedule, ShownSchedule>;

  constructor(
    { objects }: ScheduleRecords,
    private readonly timers: ScheduleTimers,
    private readonly tables: ExportTables,
    private readonly settings: TenantSettings,
    private readonly kit: ResourceKit,
  ) {
    this.objects = objects;
  }

  /** @throws Problem 400, 403, 409 `limit_reached`. */
  async create(input: NewSchedule): Promise<ShownSchedule> {
    const { timezone, locale } = (await this.settings.get()).general;
    const usual = { query: {}, locale, byteOrderMark: false, timeZone: timezone, recipientIds: [], paused: false };
    const schedule = { ...usual, ...input };
    await this.check(schedule);
    const caller = currentPrincipal();
    const own = { ownerId: personOf(caller), guarantor: guarantorOf(caller), pausedReason: null };
    return this.objects.create(() => ({ ...schedule, ...own }), {
      saved: (transaction, after) => this.saved(transaction, after),
    });
  }

  /**
   * Applies a merge patch. From then on it runs with the credential of the caller; a paused one stays so unless `paused`
   * is false. @throws Problem 400, 403, 404, 412.
   */
  async update(id: string, patch: SchedulePatch): Promise<ShownSchedule> {
    await this.check({ ...(await this.objects.read(id)), ...patch });
    const guarantor = guarantorOf(currentPrincipal());
    const reason = patch.paused === undefined ? {} : { pausedReason: null };
    return this.objects.update(id, () => ({ ...patch, ...reason, guarantor }), {
      saved: (transaction, after) => this.saved(transaction, after),
    });
  }

  /** @throws Problem 404, 412. */
  remove(id: string): Promise<Deleted> {
    return this.objects.delete(id, (_schedule, transaction) => transaction.write(this.timers.cancel(id)));
  }

  private saved(transaction: Transaction, after: ExportSchedule): void {
    if (after.recipientIds.length > 0) transaction.write(mustExist(MEMBER, '/recipientIds', after.recipientIds));
    transaction.write(this.timers.timer(after));
  }

  private async check(schedule: Pick<ExportSchedule, 'type' | 'query' | 'cron' | 'timeZone'>): Promise<void> {
    const faults = cronFaults(schedule, this.kit.clock.nowMs());
    if (faults.length > 0) throw Problem.validation(faults);
    await this.tables.plan(schedule);
  }
}
