import { Injectable } from '@nestjs/common';
import type { Guard } from '#libs/access/guard.js';
import { isClosed } from '#libs/access/limits.js';
import { currentPrincipal, requirePermission } from '#libs/auth/current-principal.js';
import { personOf } from '#libs/auth/principal.js';
import { Problem } from '#libs/kernel/problem.js';
import { ownedByCaller, sharedWithCaller } from '#libs/members/sharing.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ShownObject } from '#libs/resource/types/governed-type.js';
import type { Question } from '../query/question.js';
import { type Report, reports } from './report.js';
import { nextRunMs } from './schedule.js';

export const MANAGE = 'reports:manage';

export type ShownReport = Omit<ShownObject<Report>, 'scheduleKeyId'>;

/** The stored reports of the tenant in scope. */
@Injectable()
export class ReportRecords {
  readonly objects: GovernedObjects<Report, ShownReport>;

  constructor(private readonly kit: ResourceKit) {
    this.objects = new GovernedObjects(reports, kit, this);
  }

  /** The caller's own reports, and those shared with them about records that they can read. */
  visible(): Guard {
    const types = this.kit.registry.all().filter((each) => !isClosed(each, each.permissions.read));
    const [own, shared] = [ownedByCaller(), sharedWithCaller(MANAGE)];
    return (add) => `(${own(add)} or (t.record_type = any(${add(types.map(({ type }) => type))}) and ${shared(add)}))`;
  }

  /** Callers may change their own reports and, with the permission, shared ones without a schedule. */
  mayChange(report: Report): void {
    if (isOwn(report)) return;
    requirePermission(MANAGE);
    if (report.schedule) throw notOwner();
  }

  show(rows: readonly Report[]): ShownReport[] {
    return rows.map((row) => {
      const { scheduleKeyId: _, ...report } = this.objects.view(row);
      return { ...report, nextRunAt: this.nextRunAt(row) };
    });
  }

  /** Time of the next scheduled run; null without a schedule, or while it is paused. */
  nextRunAt({ schedule, pausedAt }: Pick<Report, 'schedule' | 'pausedAt'>): string | null {
    if (!schedule || pausedAt !== null) return null;
    return new Date(nextRunMs(schedule, this.kit.clock.nowMs())).toISOString();
  }
}

/** Scheduled runs have the rights of the owner, so nobody else may schedule or change them. @throws Problem 403. */
export function requireOwner(report: Report): void {
  if (!isOwn(report)) throw notOwner();
}

/** What a report asks. */
export function questionOf({ recordType, filter, dimensions, measures, sort, maxRows }: Report): Question {
  return { recordType, filter, dimensions, measures, sort, maxRows };
}

function isOwn({ ownerId }: Report): boolean {
  return ownerId === personOf(currentPrincipal());
}

function notOwner(): Problem {
  return new Problem('permission_denied', 'Only its owner can change a report with a schedule, or its schedule.');
}
