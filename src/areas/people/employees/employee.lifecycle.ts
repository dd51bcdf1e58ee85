import { lifecycle } from '#libs/kernel/lifecycle.js';

const live = ['pending', 'onboarding', 'active', 'on_leave', 'suspended', 'offboarding'] as const;

export const employeeLifecycle = lifecycle({
  states: [...live, 'terminated'],
  initial: 'pending',
  transitions: {
    start_onboarding: {
      from: ['pending'],
      to: 'onboarding',
      permission: 'employees:write',
      event: 'onboarding_started',
      summary: 'Start the onboarding of an employee',
      happened: 'The onboarding of an employee was started.',
    },
    activate: {
      from: ['pending', 'onboarding'],
      to: 'active',
      permission: 'employees:write',
      event: 'activated',
      summary: 'Activate an employee before or after the start date',
      happened: 'An employee became active.',
    },
    leave: {
      from: ['active'],
      to: 'on_leave',
      permission: 'employees:write',
      event: 'leave_started',
      summary: 'Put an employee on leave',
      happened: 'An employee went on leave.',
    },
    return: {
      from: ['on_leave'],
      to: 'active',
      permission: 'employees:write',
      event: 'leave_ended',
      summary: 'Bring an employee back from leave',
      happened: 'An employee came back from leave.',
    },
    suspend: {
      from: ['active', 'on_leave'],
      to: 'suspended',
      permission: 'employees:manage',
      event: 'suspended',
      summary: 'Suspend an employee and their access',
      happened: 'An employee was suspended.',
      risk: 'medium',
    },
    reinstate: {
      from: ['suspended'],
      to: 'active',
      permission: 'employees:manage',
      event: 'reinstated',
      summary: 'Reinstate a suspended employee',
      happened: 'A suspended employee was reinstated.',
      risk: 'medium',
    },
    start_offboarding: {
      from: ['active', 'on_leave', 'suspended'],
      to: 'offboarding',
      permission: 'employees:manage',
      event: 'offboarding_started',
      summary: 'Start the offboarding of an employee',
      happened: 'The offboarding of an employee was started.',
      risk: 'medium',
      isConfidential: true,
    },
    terminate: {
      from: live,
      to: 'terminated',
      permission: 'employees:manage',
      event: 'terminated',
      summary: 'Terminate an employee and remove their access now',
      happened: 'An employee was terminated.',
      risk: 'high',
      isConfidential: true,
    },
    rehire: {
      from: ['terminated'],
      to: 'pending',
      permission: 'employees:manage',
      event: 'rehired',
      summary: 'Hire a terminated employee again',
      happened: 'A terminated employee was hired again.',
      risk: 'medium',
    },
    change_employment: {
      from: live,
      to: null,
      permission: 'employees:write',
      event: 'employment_changed',
      summary: 'Change the employment of an employee from a date on',
      happened: 'The employment of an employee was changed from a date on.',
      gate: { key: 'employee.compensation_change', past: [] }, // no edit changes pay
    },
    delete: {
      from: ['pending'],
      to: null,
      permission: 'employees:delete',
      event: 'deleted',
      summary: 'Put an employee without history into the trash',
      happened: 'An employee was put into the trash.',
      risk: 'medium',
    },
    restore: {
      from: ['pending'],
      to: null,
      permission: 'employees:delete',
      event: 'restored',
      summary: 'Bring an employee back from the trash',
      happened: 'An employee was brought back from the trash.',
    },
  },
});

export type EmployeeAction = keyof typeof employeeLifecycle.transitions;
export type EmployeeStatus = (typeof employeeLifecycle.states)[number];
