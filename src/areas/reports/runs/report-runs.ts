import { Injectable, type OnModuleInit } from '@nestjs/common';
import { asOrderer } from '#libs/auth/as-member.js';
import { Authorities } from '#libs/auth/authority.js';
import { Credentials } from '#libs/auth/credentials.js';
import { currentPrincipal, requirePermission } from '#libs/auth/current-principal.js';
import { includedIn } from '#libs/auth/rights.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import type { Job, JobStep } from '#libs/jobs/job.js';
import { Jobs } from '#libs/jobs/jobs.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ShownObject } from '#libs/resource/types/governed-type.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { OfOrderer } from '#libs/worker/on-behalf.js';
import { ReportEngine } from '../query/report-engine.js';
import type { ReportResult } from '../query/report.dto.js';
import type { Report } from '../stored/report.js';
import { questionOf } from '../stored/report-records.js';
import { KEPT_DAYS, MAX_RUNS, type ReportRun, reportRuns } from './report-run.js';
import { RunLetters } from './run-letters.js';

const JOB = 'reports.run';
/** A run has a credential of its own, because a schedule starts it without a caller. */
const ON_BEHALF: OfOrderer = { of: 'orderer', asks: 'reports:read', told: null };

const ADD_RESULT = `insert into data.report_results (tenant_id, run_id, result) values ($1, $2, $3)`;
const CLOSE = `update data.report_runs set status = $4, finished_at = $3, updated_at = $3, version = version + 1,
    error = case $4 when 'failed'
      then '{"code": "internal_error", "message": "The run did not succeed after several attempts."}'::jsonb end
  where tenant_id = $1 and job_id = $2 and finished_at is null`;
const FORGET_OLDEST = `delete from data.report_runs where tenant_id = $1 and finished_at is not null and id in (
  select id from data.report_runs where tenant_id = $1 and report_id = $2 order by created_at desc, id desc offset $3)`;
const FORGET_EXPIRED = `delete from data.report_runs
  where tenant_id = $1 and expires_at <= $2 and finished_at is not null`;

export type ShownRun = Omit<ShownObject<ReportRun>, 'question' | 'keyId' | 'scopes' | 'readerIds' | 'format'>;

/** How a run is started. */
export type RunOrder = Pick<ReportRun, 'trigger' | 'memberId' | 'keyId' | 'scopes' | 'readerIds' | 'format'>;

/** The result of a run, and the scopes that it had. */
type Outcome = { result: ReportResult } & Pick<ReportRun, 'scopes'>;

/** Runs of stored reports, as jobs. */
@Injectable()
export class ReportRuns implements OnModuleInit {
  readonly objects: GovernedObjects<ReportRun, ShownRun>;

  constructor(
    private readonly kit: ResourceKit,
    private readonly jobs: Jobs,
    private readonly engine: ReportEngine,
    readonly authorities: Authorities,
    readonly credentials: Credentials,
    private readonly letters: RunLetters,
  ) {
    this.objects = new GovernedObjects(reportRuns, kit, this);
  }

  /** Runs as the API shows them: without the credential, the readers and the question. */
  show(runs: readonly ReportRun[]): ShownRun[] {
    return runs.map((row) => {
      const { question: _q, keyId: _k, scopes: _s, readerIds: _r, format: _f, ...run } = this.objects.view(row);
      return run;
    });
  }

  onModuleInit(): void {
    this.jobs.register({
      kind: JOB,
      permission: 'reports:manage',
      onBehalf: ON_BEHALF,
      step: (transaction, job) => this.step(transaction, job),
      ended: (transaction, { id }, { status }) =>
        transaction.write(statement(CLOSE, [currentTenant().id, id, this.kit.now(), status])),
    });
  }

  /** Starts a run as part of a transaction. */
  begin(transaction: Transaction, report: Report, order: RunOrder): ReportRun {
    const id = uuidv7();
    const jobId = this.jobs.start(transaction, { kind: JOB, input: { runId: id }, total: 1, phase: 'querying' });
    const open = { status: 'queued', rowCount: null, truncated: null, error: null, finishedAt: null } as const;
    const expiresAt = new Date(Date.parse(this.kit.now()) + KEPT_DAYS * DAY_MS).toISOString();
    const about = { reportId: report.id, name: report.name, question: questionOf(report) };
    transaction.write(statement(FORGET_OLDEST, [currentTenant().id, report.id, MAX_RUNS - 1]));
    return this.objects.add(transaction, { id, ...about, ...order, ...open, jobId, expiresAt }, 'requested');
  }

  /** The statement that deletes the expired runs of the tenant in scope. */
  forgetExpired(): Statement {
    return statement(FORGET_EXPIRED, [currentTenant().id, this.kit.clock.now().toISOString()]);
  }

  private async step(transaction: Transaction, job: Job): Promise<JobStep> {
    const run = await this.objects.rows.lock(transaction, String(job.input['runId']));
    if (!run) return { isDone: true, done: 0, phase: null, result: null }; // its report was deleted
    const outcome = await this.carryOut(transaction, run);
    const finishedAt = this.kit.now();
    if (outcome instanceof Problem) {
      const error = { code: outcome.code, message: outcome.detail };
      this.objects.change(transaction, run, { status: 'failed', error, finishedAt }, 'failed');
      return { isDone: true, done: 1, phase: null, result: { runId: run.id, status: 'failed' } };
    }
    const { result, scopes } = outcome;
    const { rowCount, truncated } = result;
    const done = { status: 'succeeded', rowCount, truncated, scopes, finishedAt } as const;
    const after = this.objects.change(transaction, run, done, 'completed');
    transaction.write(statement(ADD_RESULT, [run.tenantId, run.id, JSON.stringify(result)]));
    await this.letters.send(transaction, after);
    return { isDone: true, done: 1, phase: null, result: { runId: run.id, status: 'succeeded', rowCount } };
  }

  /** The result under the present rights of the run's credential, or the problem that a retry would not solve. */
  private async carryOut(transaction: Transaction, run: ReportRun): Promise<Outcome | Problem> {
    try {
      const outcome = await transaction.savepoint(() =>
        asOrderer(this, run, async () => {
          requirePermission(ON_BEHALF.asks);
          const scopes = includedIn(currentPrincipal().permissions);
          return { result: await this.engine.run(run.question), scopes };
        }),
      );
      return outcome ?? new Problem('permission_denied', 'The member or the API key of the run is no longer active.');
    } catch (error) {
      if (error instanceof Problem && error.status < 500) return error;
      throw error;
    }
  }
}
