import { requirePermission } from '#libs/auth/current-principal.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Records } from '#libs/resource/records/records.js';
import { requireInput } from '#libs/resource/records/shorthand.js';
import type { Input } from '#libs/resource/types/decisions.js';
import type { TaskStatesRepository } from '../task-states/task-states.repository.js';
import { invalid } from '../violations.js';
import { type ShownTask, type Task, tasks } from './task.js';
import { isDefaultState, isOpenState, type TaskAction, type TaskPlace } from './task.lifecycle.js';
import type { CancelTask, CompleteTask, MoveTask, ReopenTask } from './task.parts.js';
import type { TasksRepository } from './tasks.repository.js';

/** Changes made by the actions that move tasks between states. */
export class TaskMoves {
  constructor(
    private readonly records: Records<Task, ShownTask, TaskAction>,
    private readonly repository: TasksRepository,
    private readonly states: TaskStatesRepository,
  ) {}

  /** The action that a patch of the state represents, unless the kit finds it: a move between default states. */
  async shorthand(patch: Input, row: Task): Promise<{ action: TaskAction; input: Input } | null> {
    const { state: key } = patch;
    if (typeof key !== 'string') return null;
    const { state } = await this.states.placeOf(key, row.projectId);
    const [isOpen, wasOpen] = [isOpenState(state), isOpenState(row.state)];
    if (isDefaultState(key) && row.customState === null && (wasOpen || !isOpen)) return null;
    const opening = wasOpen ? 'move' : 'reopen';
    const action = isOpen ? opening : state === 'done' ? 'complete' : 'cancel';
    requireInput(tasks.inputs[action], patch);
    return { action, input: patch };
  }

  async move(row: Task, { state }: MoveTask): Promise<Partial<Task>> {
    const place = await this.openPlaceOf(state, row.projectId);
    if (state === stateKeyOf(row)) throw this.records.rules.refusal(row, 'move', 'The task is in that state already.');
    return place;
  }

  /** Subtasks must be closed first, and the tasks that it waits for unless the caller forces it. */
  async complete(row: Task, { force = false, state = 'done' }: CompleteTask): Promise<Partial<Task>> {
    const place = await this.closedPlaceOf(state, row.projectId, 'done');
    return this.records.unit(async (transaction) => {
      const { openBlockerIds, openChildIds } = await this.repository.inTheWayOf(transaction, row.id);
      if (openChildIds.length > 0)
        throw new Problem('blocked', 'A part of the task is open.', { extensions: { openIds: openChildIds } });
      if (openBlockerIds.length > 0 && !force)
        throw new Problem('blocked', 'A task that it waits for is open.', { extensions: { openIds: openBlockerIds } });
      if (openBlockerIds.length > 0) requirePermission('projects:manage');
      return { ...place, completedAt: this.records.rows.now() };
    });
  }

  async cancel({ projectId }: Task, { state = 'cancelled' }: CancelTask): Promise<Partial<Task>> {
    return { ...(await this.closedPlaceOf(state, projectId, 'cancelled')), completedAt: null };
  }

  async reopen({ projectId }: Task, { state = 'todo' }: ReopenTask): Promise<Partial<Task>> {
    return { ...(await this.openPlaceOf(state, projectId)), completedAt: null };
  }

  /** The columns for an open state of a project's task. @throws Problem 400 for an unknown or a closed state. */
  async openPlaceOf(key: string, projectId: string | null): Promise<TaskPlace> {
    const place = await this.states.placeOf(key, projectId);
    if (!isOpenState(place.state)) throw invalid('/state', 'state_not_open', 'Name an open state.');
    return place;
  }

  private async closedPlaceOf(
    key: string,
    projectId: string | null,
    category: 'done' | 'cancelled',
  ): Promise<TaskPlace> {
    const place = await this.states.placeOf(key, projectId);
    if (place.state !== category) throw invalid('/state', 'invalid_value', `Name a state of the category ${category}.`);
    return place;
  }
}

/** Key of the state of a task. */
export function stateKeyOf({ customState, state }: Task): string {
  return customState ?? state;
}
