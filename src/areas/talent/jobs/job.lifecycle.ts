import { lifecycle } from '#libs/kernel/lifecycle.js';
import { archiveActions, trashActions } from '#libs/resource/types/standard-actions.js';

const anyState = ['draft', 'open', 'on_hold', 'filled', 'closed', 'cancelled'] as const;
const over = ['filled', 'closed', 'cancelled'] as const;

export const jobLifecycle = lifecycle({
  states: anyState,
  initial: 'draft',
  transitions: {
    open: {
      from: ['draft'],
      to: 'open',
      permission: 'jobs:manage',
      event: 'opened',
      summary: 'Open a job for applications',
      happened: 'A job was opened.',
      risk: 'medium',
      gate: { key: 'talent_job.open', past: ['open', 'on_hold'], guards: ['openings', 'salaryRange'] },
    },
    hold: {
      from: ['open'],
      to: 'on_hold',
      permission: 'jobs:manage',
      event: 'held',
      summary: 'Put a job on hold',
      happened: 'A job was put on hold.',
    },
    resume: {
      from: ['on_hold'],
      to: 'open',
      permission: 'jobs:manage',
      event: 'resumed',
      summary: 'Resume a job',
      happened: 'A job on hold was resumed.',
    },
    fill: {
      from: ['open'],
      to: 'filled',
      permission: 'jobs:manage',
      event: 'filled',
      summary: 'Mark a job as filled',
      happened: 'A job was filled, by its last hire or by hand.',
    },
    close: {
      from: ['open', 'on_hold'],
      to: 'closed',
      permission: 'jobs:manage',
      event: 'closed',
      summary: 'Close a job',
      happened: 'A job was closed.',
      risk: 'medium',
    },
    cancel: {
      from: ['draft', 'open', 'on_hold'],
      to: 'cancelled',
      permission: 'jobs:manage',
      event: 'cancelled',
      summary: 'Cancel a job',
      happened: 'A job was cancelled.',
      risk: 'medium',
    },
    ...archiveActions('job', over, 'jobs:write'),
    ...trashActions('job', ['draft'], 'jobs:manage'),
  },
});

export type JobAction = keyof typeof jobLifecycle.transitions;
export type JobStatus = (typeof jobLifecycle.states)[number];
