import { Injectable } from '@nestjs/common';
import { callerOrNull } from '#libs/auth/current-principal.js';
import { isBehindCaller } from '#libs/auth/second-person.js';
import type { Transaction } from '#libs/database/transaction.js';
import { addDays, civilDateAt } from '#libs/kernel/civil-time.js';
import { cut } from '#libs/kernel/cut.js';
import { MINUTE_MS } from '#libs/kernel/durations.js';
import { Problem } from '#libs/kernel/problem.js';
import type { ActionHandler, Asked, Decisions, Input } from '#libs/resource/types/decisions.js';
import type { Draft } from '#libs/resource/types/record.entity.js';
import { Records } from '#libs/resource/records/records.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { StandardAction } from '#libs/resource/types/standard-actions.js';
import type { Guard } from '#libs/resource/lists/table.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { partGuard, secretPartGuard } from '../projects/project.guard.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { TasksRepository } from '../tasks/tasks.repository.js';
import { invalid } from '../violations.js';
import { DAY_MINUTES, type RejectTimeEntry, type StartTimer, type StopTimer } from './time-entry.actions.js';
import { type ShownTimeEntry, type TimeEntry, timeEntries, type TimeEntryAction } from './time-entry.js';
import { TimeEntriesRepository } from './time-entries.repository.js';

type Place = Pick<TimeEntry, 'projectId' | 'taskId'>;

const NAME_LENGTH = 200;
/** 20 years. */
const MAX_AGE_DAYS = 7_305;
/** Where each day begins first. */
const EARLIEST_ZONE = 'Pacific/Kiritimati';
const EDITABLE = ['draft', 'rejected'];

/** Time that members spend, with or without a project or task. */
@Injectable()
export class TimeEntriesService implements Decisions<TimeEntry, ShownTimeEntry, TimeEntryAction> {
  readonly actions: Partial<Record<Exclude<TimeEntryAction, StandardAction>, ActionHandler<TimeEntry>>> = {
    submit: (row) => this.submit(row),
    approve: (row) => this.approve(row),
    reject: (_row, { reason }: RejectTimeEntry) => ({ rejectedReason: reason }),
    revise: () => ({ rejectedReason: null }),
    invoice: (_row, { invoiceLineId }: { invoiceLineId: string }) => ({ invoiceLineId }),
    release: () => ({ invoiceLineId: null }),
  };
  readonly constraints = {
    work_time_entries_day: () =>
      new Problem('limit_reached', `The time of the member on that day would be more than ${DAY_MINUTES} minutes.`),
    work_time_entries_running_idx: () => alreadyRunning(),
    work_time_entries_approved_is_fixed: () => new Problem('record_locked', 'Approved time does not change.'),
  };
  readonly records: Records<TimeEntry, ShownTimeEntry, TimeEntryAction>;

  constructor(
    kit: ResourceKit,
    private readonly repository: TimeEntriesRepository,
    private readonly projects: ProjectsRepository,
    private readonly tasks: TasksRepository,
    private readonly settings: TenantSettings,
  ) {
    this.records = Records.of(timeEntries, kit, this, repository);
  }

  /** Creates an entry with a running timer. @throws Problem 409 `timer_running`. */
  async start(input: Partial<StartTimer> = {}): Promise<ShownTimeEntry> {
    const { rows, rules } = this.records;
    const membershipId = whose(input);
    return rows.unit(async (transaction) => {
      if (await this.repository.runningOf(membershipId)) throw alreadyRunning();
      const place = await this.placed(transaction, input);
      const row = await rows.draft({ ...input });
      return rules.show(await rows.add(transaction, { ...row, ...place, minutes: null, runningSince: rows.now() }));
    });
  }

  /** Always ends the timer: its entry gets at most what is left of the day. @throws Problem 404, 409 `timer_not_running`. */
  async stop({ id, minutes, note }: Partial<StopTimer> = {}): Promise<ShownTimeEntry> {
    const { rows, rules } = this.records;
    const membershipId = callerOrNull()?.membershipId ?? null;
    const entryId = id ?? (membershipId && (await this.repository.runningOf(membershipId)));
    if (!entryId) throw notRunning();
    return rows.unit(async (transaction) => {
      const row = await rows.lock(transaction, entryId);
      if (row.runningSince === null) throw notRunning();
      const measured = Math.round((Date.parse(rows.now()) - Date.parse(row.runningSince)) / MINUTE_MS);
      const leftOfDay = DAY_MINUTES - (await this.repository.loggedOn(transaction, row));
      const changes: Partial<TimeEntry> = {
        runningSince: null,
        minutes: Math.min(minutes ?? Math.max(1, measured), leftOfDay),
      };
      if (note !== undefined) changes.note = note;
      return rules.show(await rows.apply(transaction, row, changes, 'updated'));
    });
  }

  /** When project or task of an entry changes, the other is adjusted to match. */
  around<T>({ verb, id, input }: Asked<TimeEntryAction>, work: (input: Input) => Promise<T>): Promise<T> {
    const place: Partial<Place> = input;
    if (verb === 'create' && (place.projectId != null || place.taskId != null))
      return this.records.unit(async (transaction) => work({ ...input, ...(await this.placed(transaction, place)) }));
    if (verb === 'update' && ('projectId' in place || 'taskId' in place))
      return this.records.unit(async (transaction) => {
        const row = await this.records.rows.lock(transaction, id!);
        const isEditable = EDITABLE.includes(row.status);
        return work(isEditable ? { ...input, ...(await this.placedAnew(transaction, row, place)) } : input);
      });
    return work(input);
  }

  lockFirst(transaction: Transaction, id: string): void {
    transaction.write(this.projects.lockOfPart('timeEntry', id));
  }

  guard(): Guard {
    return partGuard(true);
  }

  secrecy(): Guard | null {
    return secretPartGuard();
  }

  async draft(input: Partial<TimeEntry>): Promise<Draft<TimeEntry>> {
    const { workDate = await this.today(), note = null } = input;
    const { name = nameOf(note, workDate) } = input;
    this.refuseDay(workDate);
    const draft: Partial<TimeEntry> = { ...input, name, membershipId: whose(input), workDate };
    return draft as Draft<TimeEntry>; // the rest is empty
  }

  edit(row: TimeEntry, patch: Partial<TimeEntry>): Partial<TimeEntry> {
    if (!EDITABLE.includes(row.status))
      throw new Problem('record_locked', `A time entry that is ${row.status} does not change.`);
    if (row.runningSince !== null && 'minutes' in patch)
      throw new Problem('timer_running', 'The timer runs: the length is set when it is stopped.');
    if (patch.workDate !== undefined && patch.workDate !== row.workDate) this.refuseDay(patch.workDate);
    return patch;
  }

  private async today(): Promise<string> {
    return civilDateAt(Date.parse(this.records.rows.now()), (await this.settings.get()).general.timezone);
  }

  /** @throws Problem 400 for a day that has begun nowhere yet, or is too long ago. */
  private refuseDay(workDate: string): void {
    const today = civilDateAt(Date.parse(this.records.rows.now()), EARLIEST_ZONE);
    if (workDate > today) throw invalid('/workDate', 'in_future', 'The day has not begun anywhere.');
    if (workDate < addDays(today, -MAX_AGE_DAYS))
      throw invalid('/workDate', 'out_of_range', 'The day is more than 20 years ago.');
  }

  /** The project and task of an entry, which must match and be visible to the caller. Locks the project. */
  private async placed(transaction: Transaction, { projectId = null, taskId = null }: Partial<Place>): Promise<Place> {
    let place: Place = { projectId, taskId };
    if (taskId !== null) {
      const ofTask = await this.tasks.projectOf(taskId);
      if (ofTask === undefined || (projectId !== null && projectId !== ofTask))
        throw Problem.unknownReference('/taskId');
      place = { projectId: ofTask, taskId };
    }
    if (place.projectId !== null && !(await this.projects.lockForPart(transaction, place.projectId)))
      throw Problem.unknownReference('/projectId');
    return place;
  }

  /** Resolves a patch of project or task: a new task sets its project, a new project clears the task. */
  private placedAnew(transaction: Transaction, row: TimeEntry, patch: Partial<Place>): Promise<Place> {
    const { taskId, projectId } = patch;
    if (taskId != null) return this.placed(transaction, { taskId, projectId: projectId ?? null });
    const next = projectId === undefined ? row.projectId : projectId;
    const keepsTask = taskId === undefined && next === row.projectId;
    return this.placed(transaction, { projectId: next, taskId: keepsTask ? row.taskId : null });
  }

  private submit({ runningSince }: TimeEntry): Partial<TimeEntry> {
    if (runningSince !== null) throw new Problem('timer_running', 'The timer runs; stop it first.');
    return {};
  }

  /** Members cannot approve their own time entries. The price is fixed at approval. */
  private async approve(row: TimeEntry): Promise<Partial<TimeEntry>> {
    if (isBehindCaller(row.membershipId))
      throw new Problem('not_an_approver', 'You cannot approve your own time entries.');
    const project = row.billable && row.projectId !== null ? await this.projects.find(row.projectId) : null;
    const rateMinor = project?.hourlyRateMinor ?? null;
    const amountMinor = rateMinor === null ? null : Math.floor((row.minutes! * rateMinor * 2 + 60) / 120);
    return { approvedAt: this.records.rows.now(), rateMinor, amountMinor };
  }
}

/** @throws Problem 400 when neither the input nor the credential names a member. */
function whose(input: { membershipId?: string }): string {
  const membershipId = input.membershipId ?? callerOrNull()?.membershipId;
  if (!membershipId)
    throw invalid('/membershipId', 'required', 'The credential acts for no member: say whose time it is.');
  return membershipId;
}

function alreadyRunning(): Problem {
  return new Problem('timer_running', 'The member has a running timer; stop it first.');
}

function notRunning(): Problem {
  return new Problem('timer_not_running', 'There is no running timer to stop.');
}

/** Default label of an entry: the first line of its note, or its date. */
function nameOf(note: string | null, workDate: string): string {
  const [line = ''] = (note ?? '').trim().split(/\r?\n/);
  return cut(line, NAME_LENGTH).trim() || `Time of ${workDate}`;
}
