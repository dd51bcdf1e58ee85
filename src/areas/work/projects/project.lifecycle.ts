import { lifecycle } from '#libs/kernel/lifecycle.js';
import { archiveActions, trashActions } from '#libs/resource/types/standard-actions.js';

const anyState = ['planned', 'active', 'on_hold', 'completed', 'cancelled'] as const;
const MANAGE = 'projects:manage';

export const projectLifecycle = lifecycle({
  states: anyState,
  initial: 'planned',
  transitions: {
    start: {
      from: ['planned'],
      to: 'active',
      permission: 'projects:write',
      event: 'started',
      summary: 'Start a project',
      happened: 'A project was started.',
    },
    hold: {
      from: ['active'],
      to: 'on_hold',
      permission: MANAGE,
      event: 'held',
      summary: 'Put a project on hold',
      happened: 'A project was put on hold.',
    },
    resume: {
      from: ['on_hold'],
      to: 'active',
      permission: MANAGE,
      event: 'resumed',
      summary: 'Resume a project that is on hold',
      happened: 'A project was resumed.',
    },
    complete: {
      from: ['active', 'on_hold'],
      to: 'completed',
      permission: MANAGE,
      event: 'completed',
      summary: 'Complete a project',
      happened: 'A project was completed.',
      risk: 'medium',
    },
    reopen: {
      from: ['completed', 'cancelled'],
      to: 'active',
      permission: MANAGE,
      event: 'reopened',
      summary: 'Reopen a completed or cancelled project',
      happened: 'A completed or cancelled project was reopened.',
      risk: 'medium',
    },
    cancel: {
      from: ['planned', 'active', 'on_hold'],
      to: 'cancelled',
      permission: MANAGE,
      event: 'cancelled',
      summary: 'Cancel a project and its open tasks',
      happened: 'A project was cancelled.',
      risk: 'medium',
    },
    set_health: {
      from: anyState,
      to: null,
      permission: 'projects:write',
      event: 'health_changed',
      summary: 'Set the health of a project',
      happened: 'The health of a project was set.',
    },
    ...archiveActions('project', anyState, 'projects:write'),
    ...trashActions('project', ['planned', 'cancelled'], 'projects:delete', 'medium'),
  },
});

export type ProjectAction = keyof typeof projectLifecycle.transitions;
export type ProjectStatus = (typeof projectLifecycle.states)[number];
