import { lifecycle } from '#libs/kernel/lifecycle.js';
import { trashActions } from '#libs/resource/standard-actions.js';

export const timeEntryLifecycle = lifecycle({
  states: ['draft', 'submitted', 'approved', 'rejected', 'invoiced'],
  initial: 'draft',
  transitions: {
    submit: {
      from: ['draft'],
      to: 'submitted',
      permission: 'time-entries:write',
      event: 'submitted',
      summary: 'Submit a time entry for approval',
      happened: 'A time entry was submitted for approval.',
    },
    approve: {
      from: ['submitted'],
      to: 'approved',
      permission: 'time-entries:approve',
      event: 'approved',
      summary: 'Approve a time entry of somebody else',
      happened: 'A time entry was approved.',
      risk: 'medium',
    },
    reject: {
      from: ['submitted'],
      to: 'rejected',
      permission: 'time-entries:approve',
      event: 'rejected',
      summary: 'Reject a time entry',
      happened: 'A time entry was rejected.',
    },
    revise: {
      from: ['rejected'],
      to: 'draft',
      permission: 'time-entries:write',
      event: 'revised',
      summary: 'Take a rejected time entry up again',
      happened: 'A rejected time entry was taken up again.',
    },
    invoice: {
      from: ['approved'],
      to: 'invoiced',
      permission: 'invoices:issue',
      event: 'invoiced',
      summary: 'Say that a time entry is invoiced',
      happened: 'A time entry was invoiced.',
      risk: 'medium',
      byPlatform: true,
    },
    release: {
      from: ['invoiced'],
      to: 'approved',
      permission: 'invoices:void',
      event: 'released',
      summary: 'Take a time entry off its invoice',
      happened: 'A time entry was taken off its invoice.',
      risk: 'medium',
      byPlatform: true,
    },
    ...trashActions('time entry', ['draft', 'rejected'], 'time-entries:delete'),
  },
});

export type TimeEntryAction = keyof typeof timeEntryLifecycle.transitions;
export type TimeEntryStatus = (typeof timeEntryLifecycle.states)[number];
