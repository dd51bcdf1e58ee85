import { Injectable, type OnModuleInit } from '@nestjs/common';
import { asMember, asOrderer, type Orderer } from '#libs/auth/as-member.js';
import { Authorities } from '#libs/auth/authority.js';
import { Credentials } from '#libs/auth/credentials.js';
import { requirePermission } from '#libs/auth/current-principal.js';
import { Automations } from '#libs/automation/automations.js';
import { cancelStatement, timerStatement } from '#libs/automation/timers.js';
import { Database } from '#libs/database/database.js';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { ReportEngine } from '../query/report-engine.js';
import { ReportRuns } from '../runs/report-runs.js';
import type { PauseReason, Report } from './report.js';
import { questionOf, ReportRecords } from './report-records.js';

const TIMER = 'reports.report.due';
/** The owner has set the schedule. The holders are told if there is nothing that the owner could do. */
export const SCHEDULED = { of: 'orderer', asks: 'reports:write', told: { holdersOf: 'reports:manage' } } as const;

/**
 * Scheduled runs. The timer of a report starts a run and sets itself for the next one in one transaction, so each run
 * happens once. Times that pass while no worker runs are made up for by one run.
 */
@Injectable()
export class ReportSchedules implements OnModuleInit {
  constructor(
    private readonly records: ReportRecords,
    private readonly runs: ReportRuns,
    private readonly engine: ReportEngine,
    readonly authorities: Authorities,
    readonly credentials: Credentials,
    private readonly automations: Automations,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.automations.timer({ kind: TIMER, onBehalf: SCHEDULED, fire: (id) => this.fire(id) });
  }

  /** The statement that sets the timer of a report, or cancels it if there is no next run. */
  timer(report: Report): Statement {
    const dueAt = this.records.nextRunAt(report);
    return dueAt === null ? this.cancel(report.id) : timerStatement({ kind: TIMER, key: report.id, dueAt });
  }

  cancel(reportId: string): Statement {
    return cancelStatement({ kind: TIMER, key: reportId });
  }

  private fire(id: string): Promise<void> {
    return this.database.transaction(async (transaction) => {
      const { objects } = this.records;
      const report = await objects.rows.lock(transaction, id);
      if (!report?.schedule || report.pausedAt !== null) return;
      const reason = await this.obstacle(report);
      if (reason !== null) {
        objects.change(transaction, report, { pausedAt: objects.now(), pausedReason: reason }, 'paused');
        return;
      }
      this.begin(transaction, report);
      transaction.write(this.timer(report));
    });
  }

  private begin(transaction: Transaction, report: Report): void {
    const { recipientIds, format } = report.schedule!;
    // Until it has run, only credentials with all scopes see it.
    const order = { ...ordererOf(report), scopes: null, readerIds: recipientIds, format };
    this.runs.begin(transaction, report, { trigger: 'schedule', ...order });
  }

  /** Why the owner cannot run a report with the credential that set the schedule; null if they can. */
  private async obstacle(report: Report): Promise<PauseReason | null> {
    try {
      const found = await asOrderer(this, ordererOf(report), async () => {
        requirePermission(SCHEDULED.asks);
        await this.engine.requireVisible(questionOf(report));
        await this.engine.plan(questionOf(report));
        return true;
      });
      if (found !== null) return null;
      const isActive = await asMember(this.authorities, report.ownerId, () => Promise.resolve(true));
      return isActive ? 'credential_ended' : 'owner_inactive';
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      return error.status === 403 ? 'owner_not_permitted' : 'no_longer_valid';
    }
  }
}

/** Who has set the schedule: the owner, with this key. */
function ordererOf({ ownerId, scheduleKeyId }: Report): Orderer {
  return { memberId: ownerId, keyId: scheduleKeyId };
}
