import { type Kind, text } from '#libs/http/field.js';
import { lifecycle } from '#libs/kernel/lifecycle.js';
import { archiveActions, trashActions } from '#libs/resource/types/standard-actions.js';

/** State categories that code depends on; each state has one. */
export const TASK_CATEGORIES = ['backlog', 'unstarted', 'started', 'done', 'cancelled'] as const;
export type TaskCategory = (typeof TASK_CATEGORIES)[number];

/** The default states, which every tenant has. */
export const TASK_STATES = ['backlog', 'todo', 'in_progress', 'in_review', 'done', 'cancelled'] as const;
export type DefaultTaskState = (typeof TASK_STATES)[number];
const OPEN_STATES: readonly string[] = ['backlog', 'todo', 'in_progress', 'in_review'];

/** The default state of tasks in a state that the tenant has added, by its category. */
export const DEFAULT_STATE_OF: Record<TaskCategory, DefaultTaskState> = {
  backlog: 'backlog',
  unstarted: 'todo',
  started: 'in_progress',
  done: 'done',
  cancelled: 'cancelled',
};

/** The columns of a task that determine its state. */
export interface TaskPlace {
  /** The state itself, or the default state of its category. */
  state: DefaultTaskState;
  /** Key and id of a state that the tenant has added; null for a default state. */
  customState: string | null;
  customStateId: string | null;
}

/** Columns that take a task out of a state that the tenant has added. */
export const NO_CUSTOM_STATE = { customState: null, customStateId: null } as const;

/** Key of a state. */
export const taskStateKey = (): Kind =>
  text({
    min: 1,
    max: 40,
    pattern: /^[a-z][a-z0-9_]*$/,
    form: 'a lower-case letter followed by lower-case letters, digits and underscores',
  });

const CATEGORIES: Record<DefaultTaskState, TaskCategory> = {
  backlog: 'backlog',
  todo: 'unstarted',
  in_progress: 'started',
  in_review: 'started',
  done: 'done',
  cancelled: 'cancelled',
};

export function categoryOf(state: DefaultTaskState): TaskCategory {
  return CATEGORIES[state];
}

export function isOpenState(state: DefaultTaskState): boolean {
  return OPEN_STATES.includes(state);
}

export function isDefaultState(key: string): key is DefaultTaskState {
  return TASK_STATES.some((state) => state === key);
}

const WRITE = 'tasks:write';
const moved = { permission: WRITE, event: 'state_changed', happened: 'A task was moved to another state.' };

/** Tasks can move between all states: there is one action per default state, and one for states of the tenant. */
export const taskLifecycle = lifecycle({
  states: TASK_STATES,
  initial: 'backlog',
  transitions: {
    shelve: {
      ...moved,
      from: ['todo', 'in_progress', 'in_review'],
      to: 'backlog',
      summary: 'Put a task back into the backlog',
    },
    plan: { ...moved, from: ['backlog', 'in_progress', 'in_review'], to: 'todo', summary: 'Plan a task to be done' },
    start: { ...moved, from: ['backlog', 'todo', 'in_review'], to: 'in_progress', summary: 'Start work on a task' },
    review: { ...moved, from: ['backlog', 'todo', 'in_progress'], to: 'in_review', summary: 'Have a task reviewed' },
    complete: {
      from: ['backlog', 'todo', 'in_progress', 'in_review', 'cancelled'],
      to: 'done',
      permission: WRITE,
      event: 'completed',
      summary: 'Complete a task',
      happened: 'A task was completed.',
    },
    cancel: {
      ...moved,
      from: ['backlog', 'todo', 'in_progress', 'in_review', 'done'],
      to: 'cancelled',
      summary: 'Cancel a task',
    },
    reopen: {
      from: ['done', 'cancelled'],
      to: 'todo',
      permission: WRITE,
      event: 'reopened',
      summary: 'Reopen a done or cancelled task',
      happened: 'A done or cancelled task was reopened.',
    },
    move: {
      ...moved,
      from: ['backlog', 'todo', 'in_progress', 'in_review'],
      to: null,
      summary: 'Move a task to another open state',
    },
    ...archiveActions('task', TASK_STATES, WRITE),
    ...trashActions('task', TASK_STATES, 'tasks:delete', 'medium'),
  },
});

export type TaskAction = keyof typeof taskLifecycle.transitions;
