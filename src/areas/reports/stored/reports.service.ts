import { Injectable, type StreamableFile } from '@nestjs/common';
import { ordererOf } from '#libs/auth/as-member.js';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { personOf } from '#libs/auth/principal.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { Sharing } from '#libs/members/sharing.js';
import { MEMBER, mustExist } from '#libs/resource/access/references.js';
import type { GovernedObjects } from '#libs/resource/records/governed.js';
import type { Deleted } from '#libs/resource/types/record.dto.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { completed, type Question } from '../query/question.js';
import { ReportEngine } from '../query/report-engine.js';
import { inFormat } from '../query/report-file.js';
import type { ReportFormat, ReportResult } from '../query/report.dto.js';
import type { Report } from './report.js';
import { MANAGE, questionOf, ReportRecords, requireOwner, type ShownReport } from './report-records.js';
import { ReportSchedules } from './report-schedules.js';
import { type ReportSchedule, scheduleFaults } from './schedule.js';

const UNSCHEDULED = { schedule: null, scheduleKeyId: null, pausedAt: null, pausedReason: null };

export type NewReport = Pick<Report, 'name' | 'recordType' | 'measures'> &
  Partial<Question & Pick<Report, 'description' | 'shared' | 'workspaceId'>>;
export type ReportPatch = Partial<Omit<NewReport, 'recordType'>>;

/** Reports of the caller, and reports that others share. */
@Injectable()
export class ReportsService {
  readonly objects: GovernedObjects<Report, ShownReport>;

  constructor(
    { objects }: ReportRecords,
    private readonly engine: ReportEngine,
    private readonly schedules: ReportSchedules,
    private readonly sharing: Sharing,
    private readonly settings: TenantSettings,
  ) {
    this.objects = objects;
  }

  /** Runs a report with the rights of the caller. @throws Problem 400, 403, 404, 422 `report_timeout`. */
  async run(id: string, format?: ReportFormat): Promise<ReportResult | StreamableFile> {
    const result = await this.engine.run(questionOf(await this.objects.read(id)));
    return inFormat(result, format, `report-${id}`);
  }

  /** @throws Problem 400, 403, 409 `limit_reached`. */
  async create(input: NewReport): Promise<ShownReport> {
    const { name, description = null, shared = 'private', workspaceId = null } = input;
    const question = completed(input);
    await this.engine.plan(question);
    return this.objects.create(async (transaction) => {
      await this.sharing.check(transaction, { shared, workspaceId }, null, MANAGE);
      const own = { ownerId: personOf(currentPrincipal()), createdBy: currentScope().actor };
      return { name, description, ...question, shared, workspaceId, ...own, ...UNSCHEDULED };
    });
  }

  /** Applies a merge patch. @throws Problem 400, 403, 404, 412. */
  async update(id: string, patch: ReportPatch): Promise<ShownReport> {
    await this.engine.plan({ ...questionOf(await this.objects.read(id)), ...patch });
    return this.objects.update(id, async (before, transaction) => {
      const leaves = patch.shared !== undefined && patch.shared !== 'workspace';
      const after = { ...before, ...(leaves ? { workspaceId: null } : {}), ...patch };
      await this.sharing.check(transaction, after, before, MANAGE);
      return after;
    });
  }

  /** @throws Problem 403, 404, 412. */
  remove(id: string): Promise<Deleted> {
    return this.objects.delete(id, (_report, transaction) => transaction.write(this.schedules.cancel(id)));
  }

  /** Sets or replaces the schedule, and resumes a paused one. @throws Problem 400, 403, 404, 412. */
  async schedule(id: string, input: ReportSchedule): Promise<ShownReport> {
    const faults = scheduleFaults(input);
    if (faults.length > 0) throw Problem.validation(faults);
    const { timezone } = (await this.settings.get()).general;
    const { weekday = null, dayOfMonth = null, timeZone = timezone, recipientIds = [], format = 'csv' } = input;
    const schedule = { ...input, weekday, dayOfMonth, timeZone, recipientIds, format };
    await this.engine.plan(questionOf(await this.readOwn(id)));
    const decide = (report: Report) => {
      requireOwner(report);
      const { keyId: scheduleKeyId } = ordererOf(currentPrincipal());
      return { schedule, scheduleKeyId, pausedAt: null, pausedReason: null };
    };
    return this.objects.update(id, decide, {
      event: 'scheduled',
      saved: (transaction, after) => {
        if (recipientIds.length > 0) transaction.write(mustExist(MEMBER, '/recipientIds', recipientIds));
        transaction.write(this.schedules.timer(after));
      },
    });
  }

  /** @throws Problem 403, 404, 412. */
  async unschedule(id: string): Promise<ShownReport> {
    await this.readOwn(id);
    const decide = (report: Report, transaction: Transaction) => {
      requireOwner(report);
      transaction.write(this.schedules.cancel(id));
      return UNSCHEDULED;
    };
    return this.objects.update(id, decide, { event: 'unscheduled' });
  }

  private async readOwn(id: string): Promise<Report> {
    const report = await this.objects.read(id);
    requireOwner(report);
    return report;
  }
}
