import { Injectable, type StreamableFile } from '@nestjs/common';
import { type Guard } from '#libs/access/guard.js';
import { isClosed } from '#libs/access/limits.js';
import { ordererOf } from '#libs/auth/as-member.js';
import { currentPrincipal, requirePermission } from '#libs/auth/current-principal.js';
import { personOf } from '#libs/auth/principal.js';
import { brokenReference } from '#libs/database/failures.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { ownedByCaller, sharedWithCaller, Sharing } from '#libs/members/sharing.js';
import { MEMBER, mustExist } from '#libs/resource/access/references.js';
import { toListRequest } from '#libs/resource/lists/list-query.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { Deleted } from '#libs/resource/types/record.dto.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { completed, type Question } from '../query/question.js';
import { ReportEngine } from '../query/report-engine.js';
import { inFormat } from '../query/report-file.js';
import type { ReportFormat, ReportResult } from '../query/report.dto.js';
import { MAX_REPORTS, type Report, reportList, reports } from './report.js';
import { questionOf, ReportRecords, type ShownReport } from './report-records.js';
import { ReportSchedules } from './report-schedules.js';
import { type ReportSchedule, scheduleFaults } from './schedule.js';

const MANAGE = 'reports:manage';

export type NewReport = Pick<Report, 'name' | 'recordType' | 'measures'> &
  Partial<Question & Pick<Report, 'description' | 'shared' | 'workspaceId'>>;
export type ReportPatch = Partial<Omit<NewReport, 'recordType'>>;

/** Reports of the caller, and reports that others share. */
@Injectable()
export class ReportsService {
  constructor(
    private readonly records: ReportRecords,
    private readonly engine: ReportEngine,
    private readonly schedules: ReportSchedules,
    private readonly sharing: Sharing,
    private readonly settings: TenantSettings,
    private readonly kit: ResourceKit,
  ) {}

  async list(query: Record<string, unknown>): Promise<Page<ShownReport>> {
    const { rows } = this.records.objects;
    const { data, page } = await rows.page(toListRequest(reportList, query), reportList, this.visible());
    return { data: data.map((report) => this.records.show(report)), page };
  }

  /** @throws Problem 404. */
  async get(id: string): Promise<ShownReport> {
    return this.records.show(await this.read(id));
  }

  /** Runs a report with the rights of the caller. @throws Problem 400, 403, 404, 422 `report_timeout`. */
  async run(id: string, format?: ReportFormat): Promise<ReportResult | StreamableFile> {
    const result = await this.engine.run(questionOf(await this.read(id)));
    return inFormat(result, format, `report-${id}`);
  }

  /** @throws Problem 400, 403, 409 `limit_reached`. */
  async create(input: NewReport): Promise<ShownReport> {
    const { name, description = null, shared = 'private', workspaceId = null } = input;
    const question = completed(input);
    await this.engine.plan(question);
    const { objects } = this.records;
    return objects.unit(async (transaction) => {
      await this.sharing.check(transaction, { shared, workspaceId }, null, MANAGE);
      if ((await objects.rows.countOf(null)) >= MAX_REPORTS)
        throw new Problem('limit_reached', `A tenant can have at most ${MAX_REPORTS} reports.`);
      const own = { ownerId: personOf(currentPrincipal()), createdBy: currentScope().actor };
      const unscheduled = { schedule: null, scheduleKeyId: null, pausedAt: null, pausedReason: null };
      const report = { name, description, ...question, shared, workspaceId, ...own, ...unscheduled };
      return this.records.show(objects.add(transaction, report));
    });
  }

  /** Applies a merge patch. @throws Problem 400, 403, 404, 412. */
  async update(id: string, patch: ReportPatch): Promise<ShownReport> {
    const { objects } = this.records;
    await this.engine.plan({ ...questionOf(await this.read(id)), ...patch });
    return objects.unit(async (transaction) => {
      const before = await this.lock(transaction, id);
      const leaves = patch.shared !== undefined && patch.shared !== 'workspace';
      const after = { ...before, ...(leaves ? { workspaceId: null } : {}), ...patch };
      await this.sharing.check(transaction, after, before, MANAGE);
      return this.records.show(objects.change(transaction, before, after));
    });
  }

  /** @throws Problem 403, 404, 412. */
  async remove(id: string): Promise<Deleted> {
    const { objects } = this.records;
    return objects.unit(async (transaction) => {
      objects.remove(transaction, await this.lock(transaction, id));
      transaction.write(this.schedules.cancel(id));
      return { id, object: reports.type, deleted: true, deletedAt: objects.now() };
    });
  }

  /** Sets or replaces the schedule, and resumes a paused one. @throws Problem 400, 403, 404, 412. */
  async schedule(id: string, input: ReportSchedule): Promise<ShownReport> {
    const faults = scheduleFaults(input);
    if (faults.length > 0) throw Problem.validation(faults);
    const { timezone } = (await this.settings.get()).general;
    const { weekday = null, dayOfMonth = null, timeZone = timezone, recipientIds = [], format = 'csv' } = input;
    const schedule = { ...input, weekday, dayOfMonth, timeZone, recipientIds, format };
    await this.engine.plan(questionOf(await this.read(id)));
    const { objects } = this.records;
    const unit = objects.unit(async (transaction) => {
      const before = await this.lockOwn(transaction, id);
      const { keyId: scheduleKeyId } = ordererOf(currentPrincipal());
      const resumed = { schedule, scheduleKeyId, pausedAt: null, pausedReason: null };
      const after = objects.change(transaction, before, resumed, 'scheduled');
      if (recipientIds.length > 0) transaction.write(mustExist(MEMBER, '/recipientIds', recipientIds));
      transaction.write(this.schedules.timer(after));
      return this.records.show(after);
    });
    return unit.catch((error: unknown) => {
      throw withReference(error);
    });
  }

  /** @throws Problem 403, 404, 412. */
  async unschedule(id: string): Promise<ShownReport> {
    const { objects } = this.records;
    return objects.unit(async (transaction) => {
      const before = await this.lockOwn(transaction, id);
      const none = { schedule: null, scheduleKeyId: null, pausedAt: null, pausedReason: null };
      transaction.write(this.schedules.cancel(id));
      return this.records.show(objects.change(transaction, before, none, 'unscheduled'));
    });
  }

  /** The report with an id that the caller may see. @throws Problem 404. */
  async read(id: string): Promise<Report> {
    const report = await this.records.objects.rows.find(id, this.visible());
    if (!report) throw Problem.notFound();
    return report;
  }

  /** A report that the caller may change: their own or, with the permission, a shared one. */
  private async lock(transaction: Transaction, id: string): Promise<Report> {
    const report = await this.records.objects.lock(transaction, id, this.visible());
    if (isOwn(report)) return report;
    requirePermission(MANAGE);
    if (report.schedule) throw notOwner();
    return report;
  }

  /** Scheduled runs have the rights of the owner, so nobody else may schedule or change them. */
  private async lockOwn(transaction: Transaction, id: string): Promise<Report> {
    const report = await this.records.objects.lock(transaction, id, this.visible());
    if (!isOwn(report)) throw notOwner();
    return report;
  }

  /** The caller's own reports, and those shared with them about records that they can read. */
  private visible(): Guard {
    const types = this.kit.registry.all().filter((each) => !isClosed(each, each.permissions.read));
    const [own, shared] = [ownedByCaller(), sharedWithCaller(MANAGE)];
    return (add) => `(${own(add)} or (t.record_type = any(${add(types.map(({ type }) => type))}) and ${shared(add)}))`;
  }
}

function isOwn({ ownerId }: Report): boolean {
  return ownerId === personOf(currentPrincipal());
}

function notOwner(): Problem {
  return new Problem('permission_denied', 'Only its owner can change a report with a schedule, or its schedule.');
}

/** The 400 for a recipient who does not exist; any other error unchanged. */
function withReference(error: unknown): unknown {
  const pointer = brokenReference(error);
  if (pointer === null) return error;
  return Problem.validation([{ pointer, code: 'unknown_reference', detail: 'There is no such member.' }]);
}
