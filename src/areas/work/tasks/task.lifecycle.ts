import { lifecycle } from '#libs/kernel/lifecycle.js';
import { archiveActions, trashActions } from '#libs/resource/types/standard-actions.js';

/** State categories that code depends on; each state has one. */
export const TASK_CATEGORIES = ['backlog', 'unstarted', 'started', 'done', 'cancelled'] as const;
export type TaskCategory = (typeof TASK_CATEGORIES)[number];

export const TASK_STATES = ['backlog', 'todo', 'in_progress', 'in_review', 'done', 'cancelled'] as const;
export type TaskState = (typeof TASK_STATES)[number];
export const OPEN_STATES = ['backlog', 'todo', 'in_progress', 'in_review'] as const;
export type OpenTaskState = (typeof OPEN_STATES)[number];

const CATEGORIES: Record<TaskState, TaskCategory> = {
  backlog: 'backlog',
  todo: 'unstarted',
  in_progress: 'started',
  in_review: 'started',
  done: 'done',
  cancelled: 'cancelled',
};

export function categoryOf(state: TaskState): TaskCategory {
  return CATEGORIES[state];
}

export function isOpenState(state: string): state is OpenTaskState {
  return OPEN_STATES.some((open) => open === state);
}

const WRITE = 'tasks:write';
const moved = { permission: WRITE, event: 'state_changed', happened: 'A task was moved to another state.' };

/** Tasks can move between all states: there is one action per target state. */
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
    ...archiveActions('task', TASK_STATES, WRITE),
    ...trashActions('task', TASK_STATES, 'tasks:delete', 'medium'),
  },
});

export type TaskAction = keyof typeof taskLifecycle.transitions;
