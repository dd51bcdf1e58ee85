import { Injectable } from '@nestjs/common';
import { callerOrNull } from '#libs/auth/current-principal.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Draft } from '#libs/resource/record.entity.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { LockOptions } from '#libs/resource/resource-recording.js';
import type { ActionHandler } from '#libs/resource/resource-type.js';
import { ResourceService } from '#libs/resource/resource.service.js';
import type { StandardAction } from '#libs/resource/standard-actions.js';
import type { Guard } from '#libs/resource/table.js';
import { dayOf } from '../days.js';
import { partGuard, secretPartGuard } from '../projects/project.guard.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { TasksRepository } from '../tasks/tasks.repository.js';
import { invalid, unknownReference } from '../violations.js';
import {
  type CreateTimeEntry,
  DAY_MINUTES,
  type RejectTimeEntry,
  type StartTimer,
  type StopTimer,
  type TimeEntryView,
} from './time-entry.dto.js';
import type { TimeEntry } from './time-entry.entity.js';
import type { TimeEntryAction } from './time-entry.lifecycle.js';
import { timeEntryResource } from './time-entry.resource.js';
import { TimeEntriesRepository } from './time-entries.repository.js';

type Input = Record<string, unknown>;
type Place = Pick<TimeEntry, 'projectId' | 'taskId'>;

const MINUTE_MS = 60_000;
const NAME_LENGTH = 200;
const EDITABLE = ['draft', 'rejected'];

/** Time that members spend, on projects and tasks or on neither. */
@Injectable()
export class TimeEntriesService extends ResourceService<TimeEntry, TimeEntryView, TimeEntryAction> {
  protected override readonly handlers: Partial<
    Record<Exclude<TimeEntryAction, StandardAction>, ActionHandler<TimeEntry>>
  > = {
    submit: (row) => this.submit(row),
    approve: (row) => this.approve(row),
    reject: (_row, { reason }: RejectTimeEntry) => ({ rejectedReason: reason }),
    revise: () => ({ rejectedReason: null }),
    invoice: (_row, { invoiceLineId }: { invoiceLineId: string }) => ({ invoiceLineId }),
    release: () => ({ invoiceLineId: null }),
  };
  protected override readonly constraints = {
    work_time_entries_day: () =>
      new Problem('limit_reached', `The time of the member on that day would be more than ${DAY_MINUTES} minutes.`),
    work_time_entries_running_idx: () => alreadyRunning(),
    work_time_entries_approved_is_fixed: () => new Problem('record_locked', 'Approved time does not change.'),
  };

  constructor(
    kit: ResourceKit,
    protected override readonly repository: TimeEntriesRepository,
    private readonly projects: ProjectsRepository,
    private readonly tasks: TasksRepository,
  ) {
    super(timeEntryResource, kit, repository);
  }

  override async create(input: Input): Promise<TimeEntryView> {
    if (input['projectId'] == null && input['taskId'] == null) return super.create(input);
    return this.unit(async (transaction) => {
      const place = await this.placed(transaction, placeOf(input));
      return this.add(transaction, { ...(await this.prepare(input)), ...place });
    });
  }

  /** A new entry whose timer runs. @throws Problem 409 `timer_running`. */
  async start(input: Partial<StartTimer> = {}): Promise<TimeEntryView> {
    const membershipId = whose(input);
    return this.unit(async (transaction) => {
      if (await this.repository.runningOf(membershipId)) throw alreadyRunning();
      const place = await this.placed(transaction, placeOf(input));
      const row = await this.prepare({ ...input });
      return this.add(transaction, { ...row, ...place, minutes: null, runningSince: this.now() });
    });
  }

  /** @throws Problem 404 for an unknown entry, 409 `timer_not_running`. */
  async stop({ id, minutes, note }: Partial<StopTimer> = {}): Promise<TimeEntryView> {
    const membershipId = callerOrNull()?.membershipId ?? null;
    const entryId = id ?? (membershipId && (await this.repository.runningOf(membershipId)));
    if (!entryId) throw notRunning();
    return this.unit(async (transaction) => {
      const row = await this.lock(transaction, entryId);
      if (row.runningSince === null) throw notRunning();
      const measured = Math.round((Date.parse(this.now()) - Date.parse(row.runningSince)) / MINUTE_MS);
      const changes: Partial<TimeEntry> = {
        runningSince: null,
        minutes: minutes ?? Math.min(Math.max(1, measured), DAY_MINUTES),
      };
      if (note !== undefined) changes.note = note;
      return this.apply(transaction, row, changes, 'updated');
    });
  }

  override async update(id: string, patch: Input): Promise<TimeEntryView> {
    if (!('projectId' in patch) && !('taskId' in patch)) return super.update(id, patch);
    return this.unit(async (transaction) => {
      const row = await this.lock(transaction, id);
      if (!EDITABLE.includes(row.status)) return super.update(id, patch);
      return super.update(id, { ...patch, ...(await this.placedAnew(transaction, row, patch)) });
    });
  }

  protected override guard(): Guard {
    return partGuard(true);
  }

  protected override secrecy(): Guard | null {
    return secretPartGuard();
  }

  protected override async draft(body: Input): Promise<Draft<TimeEntry>> {
    const input = body as unknown as Partial<CreateTimeEntry>; // validated against it, or against StartTimer
    const membershipId = whose(input);
    const workDate = input.workDate ?? dayOf(this.now());
    const note = input.note ?? null;
    return {
      name: input.name ?? nameOf(note, workDate),
      membershipId,
      projectId: input.projectId ?? null,
      taskId: input.taskId ?? null,
      workDate,
      minutes: input.minutes ?? null,
      runningSince: null,
      billable: input.billable ?? false,
      note,
      status: 'draft',
      rejectedReason: null,
      approvedAt: null,
      rateMinor: null,
      amountMinor: null,
      invoiceLineId: null,
    };
  }

  protected override edit(row: TimeEntry, patch: Input): Partial<TimeEntry> {
    if (!EDITABLE.includes(row.status))
      throw new Problem('record_locked', `A time entry that is ${row.status} does not change.`);
    if (row.runningSince !== null && 'minutes' in patch)
      throw new Problem('timer_running', 'The timer runs: the length is set when it is stopped.');
    return patch;
  }

  protected override async lock(transaction: Transaction, id: string, options?: LockOptions): Promise<TimeEntry> {
    transaction.write(this.projects.lockOfPart('timeEntry', id));
    return super.lock(transaction, id, options);
  }

  protected override async lockPlainly(transaction: Transaction, id: string): Promise<TimeEntry> {
    transaction.write(this.projects.lockOfPart('timeEntry', id));
    return super.lockPlainly(transaction, id);
  }

  /** The project and task of an entry, which must fit together and be visible to the caller. Locks the project. */
  private async placed(transaction: Transaction, { projectId, taskId }: Place): Promise<Place> {
    let place: Place = { projectId, taskId };
    if (taskId !== null) {
      const ofTask = await this.tasks.projectOf(taskId);
      if (ofTask === undefined || (projectId !== null && projectId !== ofTask)) throw unknownReference('/taskId');
      place = { projectId: ofTask, taskId };
    }
    if (place.projectId !== null && !(await this.projects.lockForPart(transaction, place.projectId)))
      throw unknownReference('/projectId');
    return place;
  }

  /** What a patch of project or task means: a task brings its project along, another project leaves the task behind. */
  private placedAnew(transaction: Transaction, row: TimeEntry, patch: Input): Promise<Place> {
    const { taskId, projectId } = patch as Partial<Place>;
    if (taskId != null) return this.placed(transaction, { taskId, projectId: projectId ?? null });
    const next = projectId === undefined ? row.projectId : projectId;
    const keepsTask = taskId === undefined && next === row.projectId;
    return this.placed(transaction, { projectId: next, taskId: keepsTask ? row.taskId : null });
  }

  private submit({ runningSince }: TimeEntry): Partial<TimeEntry> {
    if (runningSince !== null) throw new Problem('timer_running', 'The timer runs; stop it first.');
    return {};
  }

  /** Nobody approves time of their own. The price is that of this moment, whatever it becomes later. */
  private async approve(row: TimeEntry): Promise<Partial<TimeEntry>> {
    if (callerOrNull()?.membershipId === row.membershipId)
      throw new Problem('not_an_approver', 'Nobody approves time of their own.');
    const project = row.billable && row.projectId !== null ? await this.projects.find(row.projectId) : null;
    const rateMinor = project?.hourlyRateMinor ?? null;
    const amountMinor = rateMinor === null ? null : Math.floor((row.minutes! * rateMinor * 2 + 60) / 120);
    return { approvedAt: this.now(), rateMinor, amountMinor };
  }
}

/** @throws Problem 400 when neither the input nor the credential names a member. */
function whose(input: Partial<StartTimer>): string {
  const membershipId = input.membershipId ?? callerOrNull()?.membershipId;
  if (!membershipId)
    throw invalid('/membershipId', 'required', 'The credential acts for no member: say whose time it is.');
  return membershipId;
}

function placeOf({ projectId = null, taskId = null }: Partial<Place>): Place {
  return { projectId, taskId };
}

function alreadyRunning(): Problem {
  return new Problem('timer_running', 'The member has a running timer; stop it first.');
}

function notRunning(): Problem {
  return new Problem('timer_not_running', 'There is no running timer to stop.');
}

/** The label of an entry that was given none: the first line of its note, or its day. */
function nameOf(note: string | null, workDate: string): string {
  const [line = ''] = (note ?? '').trim().split(/\r?\n/);
  return [...line].slice(0, NAME_LENGTH).join('').trim() || `Time of ${workDate}`;
}
