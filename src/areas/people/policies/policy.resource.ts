import { oneOf } from '#libs/http/field.js';
import { lifecycle } from '#libs/kernel/lifecycle.js';
import type { ResourceDefinition } from '#libs/resource/definition.js';
import { filter, recordFilters } from '#libs/resource/list-query.js';
import { EMPTY_ENVELOPE } from '#libs/resource/record.entity.js';
import { trashActions } from '#libs/resource/standard-actions.js';
import { TIME_OFF_TYPES } from '../half-days.js';
import { CreateTimeOffPolicy, TimeOffPolicyView, UpdatePolicy } from './policy.dto.js';
import { Policy } from './policy.entity.js';

const PRINCIPAL = { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'HR integration' };

export const policyLifecycle = lifecycle({
  states: ['active'],
  initial: 'active',
  transitions: {
    ...trashActions('policy of time off', ['active'], 'time-off:manage', 'medium'),
  },
});

export type PolicyAction = keyof typeof policyLifecycle.transitions;

export const policyResource: ResourceDefinition<Policy, PolicyAction> = {
  type: 'people.time_off_policy',
  noun: 'policy of time off',
  area: 'people',
  collection: 'time-off-policies',
  prefix: 'TOP',
  entity: Policy,
  view: TimeOffPolicyView,
  create: CreateTimeOffPolicy,
  update: UpdatePolicy,
  permissions: { read: 'time-off:read', write: 'time-off:manage' },
  lifecycle: policyLifecycle,
  defaults: { accrual: 'yearly', carryOverHalfDays: 0, negativeHalfDays: 0 },
  inputs: {},
  problems: { create: ['duplicate'], update: ['duplicate'], restore: ['duplicate'] },
  bodies: { create: { type: 'vacation', daysPerYear: 28, carryOverDays: 5 }, update: { daysPerYear: 30 } },
  list: {
    filters: { ...recordFilters('people.time_off_policy'), type: filter.exact(oneOf(TIME_OFF_TYPES)) },
    sorts: ['createdAt', 'updatedAt', 'name', 'type'],
    defaultSort: 'type',
    trashPermission: 'time-off:manage',
  },
  example: {
    id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b62',
    object: 'people.time_off_policy',
    reference: 'TOP-000001',
    name: 'Vacation',
    ...EMPTY_ENVELOPE,
    version: 1,
    createdAt: '2026-11-21T09:15:02.114Z',
    updatedAt: '2026-11-21T09:15:02.114Z',
    createdBy: PRINCIPAL,
    updatedBy: PRINCIPAL,
    archivedAt: null,
    deletedAt: null,
    allowedActions: null,
    type: 'vacation',
    daysPerYear: 28,
    accrual: 'yearly',
    carryOverDays: 5,
    allowNegativeDays: 0,
  },
};
