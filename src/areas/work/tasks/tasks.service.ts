import { Injectable, type OnModuleInit } from '@nestjs/common';
import { every } from '#libs/access/guard.js';
import { cancelStatement, timerStatement } from '#libs/automation/timers.js';
import type { Transaction } from '#libs/database/transaction.js';
import { addDays } from '#libs/kernel/civil-time.js';
import { Problem } from '#libs/kernel/problem.js';
import type { ActionHandler, Asked, Change, Decisions, Input, NumberSource } from '#libs/resource/types/decisions.js';
import type { Draft } from '#libs/resource/types/record.entity.js';
import { followerOf } from '#libs/resource/records/referrer.js';
import { Records } from '#libs/resource/records/records.js';
import { RecordSubjects } from '#libs/resource/access/record-subjects.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { StandardAction } from '#libs/resource/types/standard-actions.js';
import type { Guard } from '#libs/resource/lists/table.js';
import type { DateShift } from '../date-shift.js';
import { dayOf } from '../days.js';
import { partGuard, secretPartGuard } from '../projects/project.guard.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { priorityRanks } from '../ranks.js';
import { closedProject, invalid, requireOrder } from '../violations.js';
import { type ShownTask, type Task, type TaskInput, tasks } from './task.js';
import { TaskStatesRepository } from '../task-states/task-states.repository.js';
import { categoryOf, isOpenState, NO_CUSTOM_STATE, type TaskAction, type TaskPlace } from './task.lifecycle.js';
import type { CancelTask, CompleteTask, MoveTask, RelatedRecord, ReopenTask } from './task.parts.js';
import { stateKeyOf, TaskMoves } from './task.moves.js';
import type { PlannedTask } from './task.plan.js';
import { TasksRepository } from './tasks.repository.js';

/** Fires after the due date of a task. */
export const OVERDUE_TIMER = 'work.task.overdue';
/** Gap between board positions, so that a task can be moved between two others. */
const POSITION_STEP = 65_536;

/** Project tasks and personal tasks. */
@Injectable()
export class TasksService implements Decisions<Task, ShownTask, TaskAction>, NumberSource<Task>, OnModuleInit {
  readonly actions: Partial<Record<Exclude<TaskAction, StandardAction>, ActionHandler<Task>>> = {
    shelve: () => NO_CUSTOM_STATE,
    plan: () => NO_CUSTOM_STATE,
    start: () => NO_CUSTOM_STATE,
    review: () => NO_CUSTOM_STATE,
    move: (row, input: MoveTask) => this.moves.move(row, input),
    complete: (row, input: CompleteTask) => this.moves.complete(row, input),
    cancel: (row, input: CancelTask) => this.moves.cancel(row, input),
    reopen: (row, input: ReopenTask) => this.moves.reopen(row, input),
  };
  readonly constraints = {
    work_projects_closed_has_no_open_task: () => closedProject(),
    work_tasks_done_has_no_open_child: () =>
      new Problem('blocked', 'A task cannot be done while a part of it is open.'),
    work_tasks_depth: () => invalid('/parentId', 'too_deep', 'Tasks nest at most three deep.'),
    work_tasks_no_parent_cycle: () => invalid('/parentId', 'cycle', 'A task cannot be a part of itself.'),
    work_tasks_no_blocking_cycle: () =>
      invalid('/blockedByIds', 'cycle', 'A task cannot wait for itself, nor for one that it is a part of.'),
    work_tasks_no_waiting_parent: () =>
      invalid('/parentId', 'cycle', 'A task cannot be a part of one that it waits for, directly or indirectly.'),
    work_tasks_parent_of_project: () => Problem.unknownReference('/parentId'),
    work_tasks_blocker_of_project: () => Problem.unknownReference('/blockedByIds'),
    work_tasks_milestone_of_project: () => Problem.unknownReference('/milestoneId'),
    work_tasks_state_is_active: () => invalid('/state', 'unknown_state', 'The state has just been retired.'),
    work_tasks_state_of_project: () => invalid('/state', 'unknown_state', 'The state belongs to another project.'),
    work_tasks_cycle_of_project: () => Problem.unknownReference('/cycleId'),
    work_tasks_cycle_is_open: () => new Problem('record_locked', 'The cycle is closed.'),
  };
  readonly records: Records<Task, ShownTask, TaskAction>;
  private readonly moves: TaskMoves;

  constructor(
    kit: ResourceKit,
    private readonly repository: TasksRepository,
    private readonly projects: ProjectsRepository,
    private readonly subjects: RecordSubjects,
    states: TaskStatesRepository,
  ) {
    this.records = Records.of(tasks, kit, this, repository, this);
    this.moves = new TaskMoves(this.records, repository, states);
  }

  onModuleInit(): void {
    this.records.kit.registry.followMerges(followerOf(this.records, 'relatedId'));
  }

  /** Number of visible open tasks that are assigned to a member and due by today. */
  countDue(memberId: string, today: string): Promise<number> {
    const due: Guard = (add) => `(t.category in ('backlog', 'unstarted', 'started') and t.due_date <= ${add(today)}
      and t.deleted_at is null and t.archived_at is null and exists (select 1 from data.work_task_assignees a
        where a.tenant_id = t.tenant_id and a.task_id = t.id and a.member_id = ${add(memberId)}))`;
    return this.repository.countOf(every(this.records.visible(), due));
  }

  /** Adds the tasks of a template to a project created in the transaction. */
  async addPlanned(
    transaction: Transaction,
    project: { id: string; key: string },
    planned: PlannedTask[],
  ): Promise<void> {
    const { rows } = this.records;
    const ids = new Map<string, string>();
    for (const { number, key, parent, blockedBy, input } of planned) {
      const own = {
        ...(await rows.contentOf({ ...input, projectId: project.id })),
        parentId: parent === null ? null : ids.get(parent)!,
        blockedByIds: blockedBy.map((blocker) => ids.get(blocker)!),
      };
      const said = { ownerId: null, tags: input.tags ?? [] };
      const row = this.complete(rows.complete(own, `${project.key}-${number}`, said), said, number);
      ids.set(key, row.id);
      await rows.addPlainly(transaction, row);
    }
  }

  /** Cancels the open tasks of a locked project. */
  async cancelOpenOf(transaction: Transaction, projectId: string): Promise<void> {
    const changes: Partial<Task> = { state: 'cancelled', ...NO_CUSTOM_STATE, completedAt: null };
    for (;;) {
      const open = await this.repository.openOf(projectId);
      if (open.length === 0) return;
      for (const row of open)
        await this.records.rows.apply(transaction, row, changes, 'state_changed', { move: 'cancel' });
    }
  }

  /**
   * Moves the unfinished tasks of a locked cycle to another one, or out of cycles if `toId` is null. Returns the numbers
   * of tasks that are done and that moved.
   */
  async carryOver(
    transaction: Transaction,
    cycleId: string,
    toId: string | null,
  ): Promise<{ done: number; carried: number }> {
    const open = await this.repository.openInCycle(transaction, cycleId);
    for (const row of open) await this.records.rows.apply(transaction, row, { cycleId: toId }, 'updated');
    return { done: await this.repository.doneInCycle(transaction, cycleId), carried: open.length };
  }

  /** Some tasks in a state of the tenant, outside the trash, locked. */
  inState(transaction: Transaction, stateId: string, limit: number): Promise<Task[]> {
    return this.repository.inState(transaction, stateId, limit);
  }

  /** Moves locked tasks to another state of their category. */
  async place(transaction: Transaction, rows: readonly Task[], place: TaskPlace): Promise<void> {
    for (const row of rows) await this.records.rows.apply(transaction, row, place, 'state_changed', { move: 'move' });
  }

  /** Takes all tasks outside the trash out of a locked cycle. */
  async releaseFrom(transaction: Transaction, cycleId: string): Promise<void> {
    for (const row of await this.repository.allInCycle(transaction, cycleId))
      await this.records.rows.apply(transaction, row, { cycleId: null }, 'updated');
  }

  /** Cancels the open tasks that follow up a record. */
  async cancelFollowUps(recordId: string): Promise<void> {
    for (const id of await this.repository.openFollowUps(recordId)) await this.records.follow('cancel', id);
  }

  /** Cancels the open tasks that a flow has made about a record. */
  async cancelPlannedFor(recordId: string): Promise<void> {
    for (const id of await this.repository.openByFlows(recordId)) await this.records.follow('cancel', id);
  }

  /** Moves the dates of the open tasks of a locked project. Returns the number of tasks that have dates. */
  async shiftOpenOf(transaction: Transaction, projectId: string, shift: DateShift): Promise<number> {
    const open = await this.repository.datedOpenOf(transaction, projectId);
    for (const row of open) {
      const changes = { startDate: shift.start(row.startDate), dueDate: shift.end(row.dueDate) };
      const isNew = changes.dueDate !== row.dueDate;
      await this.records.rows.apply(transaction, row, { ...changes, ...(isNew && { overdueAt: null }) }, 'updated');
    }
    return open.length;
  }

  /** Emits the overdue event of a task, once, if it is overdue. */
  async markOverdue(id: string): Promise<void> {
    const row = await this.repository.find(id);
    if (row?.deletedAt !== null || row.overdueAt !== null || !this.isOverdue(row)) return;
    await this.records.amend(id, () => ({ overdueAt: this.records.rows.now() }), 'overdue');
  }

  /** Assigns open tasks of one member to another, as part of the transaction; returns their number, at most `limit`. */
  async reassign(transaction: Transaction, { from, to }: { from: string; to: string }, limit: number): Promise<number> {
    const ids = await this.repository.assignedTo(transaction, from, limit);
    const successors = ({ assigneeIds }: Task) => new Set(assigneeIds.map((each) => (each === from ? to : each)));
    for (const id of ids) await this.records.amend(id, (row) => ({ assigneeIds: [...successors(row)] }));
    return ids.length;
  }

  around<T>(asked: Asked<TaskAction>, work: (input: Input) => Promise<T>): Promise<T> {
    return this.projects.aroundPart(this.records, asked, work);
  }

  lockFirst(transaction: Transaction, id: string): void {
    transaction.write(this.projects.lockOfPart('task', id));
  }

  guard(): Guard {
    return partGuard(true);
  }

  secrecy(): Guard | null {
    return secretPartGuard();
  }

  derive(row: Task): Partial<ShownTask> {
    return {
      state: stateKeyOf(row),
      category: categoryOf(row.state),
      priority: priorityRanks.wordOf(row.priority),
      isOverdue: this.isOverdue(row),
      relatedTo: row.relatedId === null ? null : { object: row.relatedObject!, id: row.relatedId },
    };
  }

  /** The state of the tenant that the task is in, besides the default state of its category. */
  async draft({ priority = 'none', state = 'backlog', relatedTo = null, ...input }: TaskInput): Promise<Draft<Task>> {
    const { projectId = null, milestoneId = null, startDate = null, dueDate = null } = input;
    requireOrder(startDate, dueDate, '/dueDate');
    if (milestoneId !== null && projectId === null) throw Problem.unknownReference('/milestoneId');
    const place = { ...(await this.moves.openPlaceOf(state, projectId)), ...(await this.relation(relatedTo)) };
    const draft: Partial<Task> = { ...input, ...place, priority: priorityRanks.rankOf(priority) };
    return draft as Draft<Task>; // the rest is empty, or filled when the number is known
  }

  /** A project task gets the next number of the project, without gaps, under the project lock. */
  async numberOf({ projectId }: Draft<Task>): Promise<{ number: number; reference: string } | null> {
    if (projectId == null) return null;
    const { key, number } = await this.projects.nextTask(projectId);
    return { number, reference: `${key}-${number}` };
  }

  complete(row: Task, input: Input, number: number): Task {
    return {
      ...row,
      number: row.projectId === null ? null : number,
      ...('position' in input ? {} : { position: number * POSITION_STEP }),
    };
  }

  async edit(row: Task, { priority, relatedTo, state: _, ...patch }: TaskInput): Promise<Partial<Task>> {
    const changes: Partial<Task> = patch;
    if (relatedTo !== undefined) Object.assign(changes, await this.relation(relatedTo));
    if (priority !== undefined) changes.priority = priorityRanks.rankOf(priority);
    const after = { ...row, ...changes };
    requireOrder(after.startDate, after.dueDate, '/dueDate');
    if (after.milestoneId !== null && row.projectId === null) throw Problem.unknownReference('/milestoneId');
    return after.dueDate === row.dueDate ? changes : { ...changes, overdueAt: null };
  }

  shorthand(patch: Input, row: Task): Promise<{ action: TaskAction; input: Input } | null> {
    return this.moves.shorthand(patch, row);
  }

  saved(transaction: Transaction, { before, after }: Change<Task>): void {
    const moves =
      after.dueDate !== (before?.dueDate ?? null) ||
      (before !== null && after.dueDate !== null && isOpenState(after.state) !== isOpenState(before.state));
    if (moves) this.setTimer(transaction, after);
  }

  /** The columns of the record that a task follows up. @throws Problem 400 if the caller cannot see it. */
  private async relation(to: RelatedRecord | null): Promise<Pick<Task, 'relatedObject' | 'relatedId'>> {
    if (to !== null && !(await this.subjects.ifVisible(to.object, to.id))) throw Problem.unknownReference('/relatedTo');
    return { relatedObject: to?.object ?? null, relatedId: to?.id ?? null };
  }

  private setTimer(transaction: Transaction, { id, dueDate, state }: Task): void {
    const timer = { kind: OVERDUE_TIMER, key: id };
    const isDue = dueDate !== null && isOpenState(state);
    transaction.write(
      isDue ? timerStatement({ ...timer, dueAt: `${addDays(dueDate, 1)}T00:00:00.000Z` }) : cancelStatement(timer),
    );
  }

  private isOverdue({ state, dueDate }: Task): boolean {
    return isOpenState(state) && dueDate !== null && dueDate < dayOf(this.records.rows.now());
  }
}
