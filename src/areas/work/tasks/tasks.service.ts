import { Injectable } from '@nestjs/common';
import { requirePermission } from '#libs/auth/current-principal.js';
import { cancelStatement, timerStatement } from '#libs/automation/timers.js';
import type { Transaction } from '#libs/database/transaction.js';
import { addDays } from '#libs/kernel/civil-time.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Draft } from '#libs/resource/record.entity.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { LockOptions } from '#libs/resource/resource-recording.js';
import type { ActionHandler } from '#libs/resource/resource-type.js';
import { ResourceService } from '#libs/resource/resource.service.js';
import type { StandardAction } from '#libs/resource/standard-actions.js';
import type { Guard } from '#libs/resource/table.js';
import { dayOf } from '../days.js';
import { isOpen } from '../projects/project.figures.js';
import { partGuard, secretPartGuard } from '../projects/project.guard.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { priorityRanks } from '../ranks.js';
import { invalid, requireOrder, unknownReference } from '../violations.js';
import type { CompleteTask, CreateTask, ReopenTask, TaskView } from './task.dto.js';
import type { Task } from './task.entity.js';
import { categoryOf, isOpenState, type TaskAction } from './task.lifecycle.js';
import type { PlannedTask } from './task.plan.js';
import { taskResource } from './task.resource.js';
import { TasksRepository } from './tasks.repository.js';

type Input = Record<string, unknown>;
type Why = Parameters<ResourceService<Task, TaskView, TaskAction>['apply']>[4];

/** Fires when a task's last day has passed. */
export const OVERDUE_TIMER = 'work.task.overdue';
/** Places between two tasks on a board, so that one can be put between them. */
const POSITION_STEP = 65_536;
const PLAIN_FIELDS = [
  'name',
  'description',
  'assigneeIds',
  'parentId',
  'startDate',
  'dueDate',
  'estimateMinutes',
  'milestoneId',
  'blockedByIds',
  'checklist',
  'position',
] as const;

/** Tasks, in projects and personal ones. */
@Injectable()
export class TasksService extends ResourceService<Task, TaskView, TaskAction> {
  protected override readonly handlers: Partial<Record<Exclude<TaskAction, StandardAction>, ActionHandler<Task>>> = {
    complete: (row, input: CompleteTask) => this.finish(row, input),
    cancel: () => ({ completedAt: null }),
    reopen: (_row, { state = 'todo' }: ReopenTask) => ({ state, completedAt: null }),
  };
  protected override readonly constraints = {
    work_projects_closed_has_no_open_task: () => closedProject(),
    work_tasks_done_has_no_open_child: () =>
      new Problem('blocked', 'A task cannot be done while a part of it is open.'),
    work_tasks_depth: () => invalid('/parentId', 'too_deep', 'Tasks nest at most three deep.'),
    work_tasks_no_parent_cycle: () => invalid('/parentId', 'cycle', 'A task cannot be a part of itself.'),
    work_tasks_no_blocking_cycle: () => invalid('/blockedByIds', 'cycle', 'A task cannot wait for itself.'),
    work_tasks_parent_of_project: () => unknownReference('/parentId'),
    work_tasks_blocker_of_project: () => unknownReference('/blockedByIds'),
    work_tasks_milestone_of_project: () => unknownReference('/milestoneId'),
  };

  constructor(
    kit: ResourceKit,
    protected override readonly repository: TasksRepository,
    private readonly projects: ProjectsRepository,
  ) {
    super(taskResource, kit, repository);
  }

  /** A task of a project takes the project's next number, without gaps, under the project's lock. */
  override async create(input: Input): Promise<TaskView> {
    const projectId = input['projectId'] as string | null | undefined;
    if (projectId == null) return super.create(input);
    return this.unit(async (transaction) => {
      const project = await this.projects.lockForPart(transaction, projectId);
      if (!project) throw unknownReference('/projectId');
      if (!isOpen(project)) throw closedProject();
      const number = await this.projects.nextTaskNumber(transaction, projectId);
      const own = { ...input, customFields: await this.ownFields(input) };
      return this.add(transaction, this.numbered(project.key, number, await this.draft(input), own));
    });
  }

  /** A closed task is opened again by any open state. */
  override async update(id: string, patch: Input): Promise<TaskView> {
    const { state, ...others } = patch;
    if (typeof state !== 'string' || !isOpenState(state) || Object.keys(others).length > 0)
      return super.update(id, patch);
    return this.unit(async (transaction) => {
      const row = await this.lock(transaction, id);
      if (isOpenState(row.state)) return super.update(id, patch);
      return this.transitAsCaller(transaction, row, 'reopen', { state });
    });
  }

  /** Adds the tasks of a template to a project that the transaction has just made. */
  async addPlanned(
    transaction: Transaction,
    project: { id: string; key: string },
    planned: PlannedTask[],
  ): Promise<void> {
    const ids = new Map<string, string>();
    const customFields = await this.ownFields({});
    for (const { number, key, parent, blockedBy, input } of planned) {
      const draft = this.drafted({ ...input, projectId: project.id } as CreateTask);
      const row = this.numbered(project.key, number, draft, { ownerId: null, tags: input.tags ?? [], customFields });
      ids.set(key, row.id);
      row.parentId = parent === null ? null : ids.get(parent)!;
      row.blockedByIds = blockedBy.map((blocker) => ids.get(blocker)!);
      this.addPlainly(transaction, row);
    }
  }

  /** Cancels the open tasks of a project, which the transaction has locked. */
  async cancelOpenOf(transaction: Transaction, projectId: string): Promise<void> {
    for (;;) {
      const rows = await this.repository.openOf(projectId);
      if (rows.length === 0) return;
      for (const row of rows)
        this.apply(transaction, row, { state: 'cancelled', completedAt: null }, 'state_changed', { move: 'cancel' });
    }
  }

  /** Says that a task is overdue, once, if it is. */
  async markOverdue(id: string): Promise<void> {
    const row = await this.repository.find(id);
    if (row?.deletedAt !== null || row.overdueAt !== null || !this.isOverdue(row)) return;
    await this.amend(id, () => ({ overdueAt: this.now() }), 'overdue');
  }

  protected override guard(): Guard {
    return partGuard(true);
  }

  protected override secrecy(): Guard | null {
    return secretPartGuard();
  }

  protected override derive(row: Task): Partial<TaskView> {
    return {
      category: categoryOf(row.state),
      priority: priorityRanks.wordOf(row.priority),
      isOverdue: this.isOverdue(row),
    };
  }

  protected override async draft(body: Input): Promise<Draft<Task>> {
    return this.drafted(body as unknown as CreateTask); // validated against it
  }

  protected override edit(row: Task, body: Input): Partial<Task> {
    const patch = body as Partial<CreateTask>;
    const changes: Partial<Task> = Object.fromEntries(
      PLAIN_FIELDS.filter((field) => field in body).map((field) => [field, body[field]]),
    );
    if (patch.priority !== undefined) changes.priority = priorityRanks.rankOf(patch.priority);
    const after = { ...row, ...changes };
    requireOrder(after.startDate, after.dueDate, '/dueDate');
    if (after.milestoneId !== null && row.projectId === null) throw unknownReference('/milestoneId');
    return after.dueDate === row.dueDate ? changes : { ...changes, overdueAt: null };
  }

  protected override complete(draft: Draft<Task>, number: number, input: Input = {}): Task {
    const row = super.complete(draft, number, input);
    return 'position' in input ? row : { ...row, position: number * POSITION_STEP };
  }

  protected override async lock(transaction: Transaction, id: string, options?: LockOptions): Promise<Task> {
    transaction.write(this.projects.lockOfPart('task', id));
    return super.lock(transaction, id, options);
  }

  protected override async lockPlainly(transaction: Transaction, id: string): Promise<Task> {
    transaction.write(this.projects.lockOfPart('task', id));
    return super.lockPlainly(transaction, id);
  }

  protected override add(transaction: Transaction, row: Task): TaskView {
    const shown = super.add(transaction, row);
    if (row.dueDate !== null) this.setTimer(transaction, row);
    return shown;
  }

  /** A change of the assignees has an event of its own; one of the due date or of the state moves the timer. */
  protected override apply(
    transaction: Transaction,
    row: Task,
    changes: Partial<Task>,
    event: string,
    why?: Why,
  ): TaskView {
    const { assigneeIds = row.assigneeIds } = changes;
    const isAssignment = event === 'updated' && assigneeIds.join() !== row.assigneeIds.join();
    const shown = super.apply(transaction, row, changes, isAssignment ? 'assigned' : event, why);
    const after = { ...row, ...changes };
    const moves = after.dueDate !== row.dueDate || isOpenState(after.state) !== isOpenState(row.state);
    if (moves && (after.dueDate !== null || row.dueDate !== null)) this.setTimer(transaction, after);
    return shown;
  }

  private setTimer(transaction: Transaction, { id, dueDate, state }: Task): void {
    const timer = { kind: OVERDUE_TIMER, key: id };
    const isDue = dueDate !== null && isOpenState(state);
    transaction.write(
      isDue ? timerStatement({ ...timer, dueAt: `${addDays(dueDate, 1)}T00:00:00.000Z` }) : cancelStatement(timer),
    );
  }

  private isOverdue({ state, dueDate }: Task): boolean {
    return isOpenState(state) && dueDate !== null && dueDate < dayOf(this.now());
  }

  private drafted(input: CreateTask): Draft<Task> {
    const { projectId = null, milestoneId = null, startDate = null, dueDate = null } = input;
    requireOrder(startDate, dueDate, '/dueDate');
    if (milestoneId !== null && projectId === null) throw unknownReference('/milestoneId');
    return {
      name: input.name,
      projectId,
      number: null,
      description: input.description ?? null,
      state: input.state ?? 'backlog',
      priority: priorityRanks.rankOf(input.priority ?? 'none'),
      assigneeIds: input.assigneeIds ?? [],
      parentId: input.parentId ?? null,
      startDate,
      dueDate,
      estimateMinutes: input.estimateMinutes ?? null,
      milestoneId,
      blockedByIds: input.blockedByIds ?? [],
      checklist: input.checklist ?? [],
      position: input.position ?? 0,
      completedAt: null,
      overdueAt: null,
      spentMinutes: 0,
    };
  }

  private async ownFields({ customFields }: Input): Promise<Input> {
    return this.kit.customFields.ofNew(taskResource.type, customFields as Input | undefined);
  }

  private numbered(key: string, number: number, draft: Draft<Task>, input: Input): Task {
    return { ...this.complete({ ...draft, number }, number, input), reference: `${key}-${number}` };
  }

  private async finish(row: Task, { force = false }: CompleteTask): Promise<Partial<Task>> {
    return this.unit(async (transaction) => {
      const { openBlockerIds, openChildIds } = await this.repository.inTheWayOf(transaction, row.id);
      if (openChildIds.length > 0)
        throw new Problem('blocked', 'A part of the task is open.', { extensions: { openIds: openChildIds } });
      if (openBlockerIds.length > 0 && !force)
        throw new Problem('blocked', 'A task that it waits for is open.', { extensions: { openIds: openBlockerIds } });
      if (openBlockerIds.length > 0) requirePermission('projects:manage');
      return { completedAt: this.now() };
    });
  }
}

function closedProject(): Problem {
  return new Problem('record_locked', 'The project is completed or cancelled; reopen it first.');
}
