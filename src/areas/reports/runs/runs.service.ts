import { Injectable, type StreamableFile } from '@nestjs/common';
import { every, type Guard } from '#libs/access/guard.js';
import { ordererOf } from '#libs/auth/as-member.js';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { includedIn } from '#libs/auth/rights.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { ReportEngine } from '../query/report-engine.js';
import { inFormat } from '../query/report-file.js';
import type { ReportFormat, ReportResult } from '../query/report.dto.js';
import { questionOf } from '../stored/report-records.js';
import { ReportsService } from '../stored/reports.service.js';
import { ReportRuns, type RunOrder, type ShownRun } from './report-runs.js';

const RESULT = `select result from data.report_results where tenant_id = $1 and run_id = $2`;

/** Stored runs: those with the rights of the caller, and those that were sent to them. */
@Injectable()
export class ReportRunsService {
  constructor(
    private readonly runs: ReportRuns,
    private readonly reports: ReportsService,
    private readonly engine: ReportEngine,
    private readonly database: Database,
  ) {}

  /** @throws Problem 404. */
  async list(reportId: string, query: Record<string, unknown>): Promise<Page<ShownRun>> {
    const guard = every(ownRuns(), (add) => `t.report_id = ${add(reportId)}`);
    const page = await this.runs.objects.list(query, guard);
    if (page.data.length === 0) await this.reports.objects.read(reportId);
    return page;
  }

  /** Starts a run with the rights of the caller. @throws Problem 400, 403, 404. */
  async start(reportId: string): Promise<ShownRun> {
    const report = await this.reports.objects.read(reportId);
    await this.engine.plan(questionOf(report));
    const caller = currentPrincipal();
    const by = { ...ordererOf(caller), scopes: includedIn(caller.permissions) };
    return this.runs.objects.unit((transaction) => {
      const order: RunOrder = { trigger: 'request', ...by, readerIds: [], format: 'json' };
      return this.runs.objects.show(this.runs.begin(transaction, report, order));
    });
  }

  /** @throws Problem 403, 404, 409 `blocked` for the rows of a run that did not succeed. */
  async get(id: string, format?: ReportFormat): Promise<(ShownRun & { result: ReportResult | null }) | StreamableFile> {
    const run = await this.runs.objects.rows.find(id, ownRuns());
    if (!run) throw Problem.notFound();
    await this.engine.requireVisible(run.question);
    const [row] = await this.database.read<{ result: ReportResult }>(statement(RESULT, [currentTenant().id, id]));
    const result = row?.result ?? null;
    if (format !== 'csv') return { ...(await this.runs.objects.show(run)), result };
    if (!result) throw new Problem('blocked', 'The run has no result.');
    return inFormat(result, format, `report-run-${id}`) as StreamableFile;
  }
}

/**
 * Runs with the rights of the caller, and those that were sent to them; only those that had no scopes that the
 * credential of the caller lacks.
 */
function ownRuns(): Guard {
  const { membershipId: me, permissions } = currentPrincipal();
  const own: Guard = (add) => `(t.member_id = ${add(me)}::uuid or jsonb_exists(t.reader_ids, ${add(me)}::text))`;
  const included = includedIn(permissions);
  const covered: Guard | null = included && ((add) => `t.scopes <@ ${add(JSON.stringify(included))}::jsonb`);
  return every(own, covered)!;
}
