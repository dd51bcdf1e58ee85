import { lifecycle } from '#libs/kernel/lifecycle.js';

export const timeOffLifecycle = lifecycle({
  states: ['requested', 'approved', 'rejected', 'cancelled', 'taken'],
  initial: 'requested',
  transitions: {
    approve: {
      from: ['requested'],
      to: 'approved',
      permission: 'time-off:approve',
      event: 'approved',
      summary: 'Approve time off',
      happened: 'Time off was approved.',
    },
    reject: {
      from: ['requested'],
      to: 'rejected',
      permission: 'time-off:approve',
      event: 'rejected',
      summary: 'Reject time off',
      happened: 'Time off was rejected.',
    },
    cancel: {
      from: ['requested', 'approved'],
      to: 'cancelled',
      permission: 'time-off:write',
      event: 'cancelled',
      summary: 'Cancel time off',
      happened: 'Time off was cancelled.',
    },
    take: {
      from: ['approved'],
      to: 'taken',
      permission: 'time-off:approve',
      event: 'taken',
      summary: 'Mark time off as taken',
      happened: 'Approved time off was taken: its last day is over.',
      byPlatform: true,
    },
    delete: {
      from: ['requested', 'rejected', 'cancelled'],
      to: null,
      permission: 'time-off:write',
      event: 'deleted',
      summary: 'Put time off into the trash',
      happened: 'Time off was put into the trash.',
      risk: 'medium',
    },
    restore: {
      from: ['requested', 'rejected', 'cancelled'],
      to: null,
      permission: 'time-off:write',
      event: 'restored',
      summary: 'Bring time off back from the trash',
      happened: 'Time off was brought back from the trash.',
    },
  },
});

export type TimeOffAction = keyof typeof timeOffLifecycle.transitions;
export type TimeOffStatus = (typeof timeOffLifecycle.states)[number];
