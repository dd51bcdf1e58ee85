import { Injectable } from '@nestjs/common';
import type { Guard } from '#libs/access/guard.js';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { personOf } from '#libs/auth/principal.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { nextRunMs } from './cron.js';
import { type ExportSchedule, exportSchedules, type ShownSchedule } from './export-schedule.js';

/** The schedules of exports of the tenant in scope. */
@Injectable()
export class ScheduleRecords {
  readonly objects: GovernedObjects<ExportSchedule, ShownSchedule>;

  constructor(private readonly kit: ResourceKit) {
    this.objects = new GovernedObjects(exportSchedules, kit, this);
  }

  /** The caller's own ones. */
  visible(): Guard {
    const me = personOf(currentPrincipal());
    return (add) => `t.owner_id = ${add(me)}::uuid`;
  }

  show(rows: readonly ExportSchedule[]): ShownSchedule[] {
    return rows.map((row) => {
      const { guarantor: _, ...schedule } = this.objects.view(row);
      return { ...schedule, nextRunAt: this.nextRunAt(row) };
    });
  }

  /** Time of the next run; null without one. */
  nextRunAt(row: Pick<ExportSchedule, 'cron' | 'timeZone' | 'paused'>): string | null {
    const next = row.paused ? null : nextRunMs(row, this.kit.clock.nowMs());
    return next === null ? null : new Date(next).toISOString();
  }
}
