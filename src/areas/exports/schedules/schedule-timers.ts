import { Injectable, type OnModuleInit } from '@nestjs/common';
import { asMember } from '#libs/auth/as-member.js';
import { Authorities } from '#libs/auth/authority.js';
import { currentPrincipal, requirePermission } from '#libs/auth/current-principal.js';
import { Guarantors } from '#libs/auth/guarantors.js';
import { includedIn } from '#libs/auth/rights.js';
import { Automations } from '#libs/automation/automations.js';
import { cancelStatement, timerStatement } from '#libs/automation/timers.js';
import { Database } from '#libs/database/database.js';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { PermissionHolders } from '#libs/members/permission-holders.js';
import { Notifier } from '#libs/notifications/notifier.js';
import { ExportRecords } from '../jobs/export-records.js';
import { ExportRuns } from '../jobs/export-runs.js';
import { ExportTables } from '../table/export-tables.js';
import { type ExportSchedule, exportSchedules, type PauseReason } from './export-schedule.js';
import { ScheduleRecords } from './schedule-records.js';

const TIMER = 'exports.schedule.due';
/** The owner has set the schedule. The holders are told if there is nothing that the owner could do. */
const SCHEDULED = { of: 'orderer', asks: 'exports:write', told: { holdersOf: 'settings:manage' } } as const;
/** Reasons for a pause about which the owner can do nothing. */
const OF_OWNERS: ReadonlySet<PauseReason> = new Set(['owner_inactive', 'owner_not_permitted']);
/** Maximum number of members who are told because of a permission. */
const MOST_HOLDERS = 20;

/**
 * Exports on a schedule. The timer starts an export and sets itself for the next one in one transaction, so each run
 * happens once. Times that pass while no worker runs are made up for by one run.
 */
@Injectable()
export class ScheduleTimers implements OnModuleInit {
  constructor(
    private readonly records: ScheduleRecords,
    private readonly exports: ExportRecords,
    private readonly runs: ExportRuns,
    private readonly tables: ExportTables,
    private readonly guarantors: Guarantors,
    private readonly authorities: Authorities,
    private readonly automations: Automations,
    private readonly holders: PermissionHolders,
    private readonly notifier: Notifier,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.automations.timer({ kind: TIMER, onBehalf: SCHEDULED, fire: (id) => this.fire(id) });
  }

  /** The statement that sets the timer of a schedule, or cancels it if there is no next run. */
  timer(schedule: ExportSchedule): Statement {
    const dueAt = this.records.nextRunAt(schedule);
    return dueAt === null ? this.cancel(schedule.id) : timerStatement({ kind: TIMER, key: schedule.id, dueAt });
  }

  cancel(scheduleId: string): Statement {
    return cancelStatement({ kind: TIMER, key: scheduleId });
  }

  private fire(id: string): Promise<void> {
    return this.database.transaction(async (transaction) => {
      const schedule = await this.records.objects.rows.lock(transaction, id);
      if (!schedule || schedule.paused) return;
      const scopes = await this.scopesOf(schedule);
      if (scopes instanceof Problem) return this.pause(transaction, schedule, await this.reasonOf(scopes, schedule));
      // While the tenant has too many exports in progress, one time is left out.
      if (await this.hasRoom()) this.begin(transaction, schedule, scopes.included);
      transaction.write(this.timer(schedule));
    });
  }

  private begin(transaction: Transaction, schedule: ExportSchedule, scopes: string[] | null): void {
    const { id, type, query, format, locale, byteOrderMark, ownerId, guarantor, recipientIds } = schedule;
    const how = { type, query, format, locale, byteOrderMark, plan: null };
    const who = { requesterId: ownerId, guarantor, scopes, readerIds: recipientIds };
    this.runs.begin(transaction, { ...how, ...who, scheduleId: id });
  }

  private async hasRoom(): Promise<boolean> {
    try {
      await this.exports.objects.refuseBeyondLimit();
      return true;
    } catch (error) {
      if (error instanceof Problem && error.code === 'limit_reached') return false;
      throw error;
    }
  }

  /** The scopes of the owner's credential, or why it cannot export the list any more. */
  private async scopesOf({
    id,
    type,
    query,
    guarantor,
  }: ExportSchedule): Promise<{ included: string[] | null } | Problem> {
    let included: string[] | null = null;
    try {
      await this.guarantors.check(guarantor, `schedule ${id}`, async () => {
        requirePermission(SCHEDULED.asks);
        await this.tables.plan({ type, query });
        included = includedIn(currentPrincipal().permissions);
      });
      return { included };
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      return error;
    }
  }

  private async reasonOf({ status }: Problem, { ownerId, guarantor }: ExportSchedule): Promise<PauseReason> {
    if (status !== 401 && status !== 403) return 'no_longer_valid';
    const isService = guarantor.type === 'api_key' && guarantor.id === ownerId;
    const isActive = isService || (await asMember(this.authorities, ownerId, () => Promise.resolve(true)));
    if (!isActive) return 'owner_inactive';
    return status === 401 ? 'credential_ended' : 'owner_not_permitted';
  }

  private async pause(transaction: Transaction, schedule: ExportSchedule, pausedReason: PauseReason): Promise<void> {
    this.records.objects.change(transaction, schedule, { paused: true, pausedReason }, 'paused');
    const { id, name, ownerId } = schedule;
    const { holdersOf } = SCHEDULED.told;
    const others = OF_OWNERS.has(pausedReason) ? await this.holders.find(holdersOf, MOST_HOLDERS) : [];
    const title = `The schedule of the export ${name} is paused`;
    const body = `Reason: ${pausedReason}. It does not run until \`paused\` is set to false.`;
    const url = `${exportSchedules.path}/${id}`;
    const notice = { kind: 'export', subject: { object: exportSchedules.type, id }, url, title, body } as const;
    await this.notifier.tell(transaction, notice, [...new Set([ownerId, ...others])]);
  }
}
