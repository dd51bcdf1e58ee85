import { Injectable } from '@nestjs/common';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ShownObject } from '#libs/resource/types/governed-type.js';
import type { Question } from '../query/question.js';
import { type Report, reports } from './report.js';
import { nextRunMs } from './schedule.js';

export type ShownReport = Omit<ShownObject<Report>, 'scheduleKeyId'>;

/** The stored reports of the tenant in scope. */
@Injectable()
export class ReportRecords {
  readonly objects: GovernedObjects<Report>;

  constructor(private readonly kit: ResourceKit) {
    this.objects = new GovernedObjects(reports, kit);
  }

  show({ scheduleKeyId: _, ...report }: Report): ShownReport {
    return { ...report, object: reports.type, nextRunAt: this.nextRunAt(report) };
  }

  /** Time of the next scheduled run; null without a schedule, or while it is paused. */
  nextRunAt({ schedule, pausedAt }: Pick<Report, 'schedule' | 'pausedAt'>): string | null {
    if (!schedule || pausedAt !== null) return null;
    return new Date(nextRunMs(schedule, this.kit.clock.nowMs())).toISOString();
  }
}

/** What a report asks. */
export function questionOf({ recordType, filter, dimensions, measures, sort, maxRows }: Report): Question {
  return { recordType, filter, dimensions, measures, sort, maxRows };
}
