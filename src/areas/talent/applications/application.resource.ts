import { id, instant, oneOf } from '#libs/http/field.js';
import type { Reference, ResourceDefinition } from '#libs/resource/definition.js';
import { filter, recordFilters } from '#libs/resource/list-query.js';
import { workspaceOfWhole } from '#libs/resource/part-of.js';
import { EMPTY_ENVELOPE } from '#libs/resource/record.entity.js';
import { stageKey } from '../jobs/job.stages.js';
import { SOURCES, starsFilter } from '../talent.parts.js';
import { APPLICATION_INPUTS, ApplicationView, CreateApplication, UpdateApplication } from './application.dto.js';
import { Application } from './application.entity.js';
import { type ApplicationAction, applicationLifecycle } from './application.lifecycle.js';

const PRINCIPAL = { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'Website' };

/** Filters by where an application stands, for applications and for candidates. */
export const STANDING_FILTERS = {
  status: filter.exact(oneOf(applicationLifecycle.states)),
  stage: filter.exact(stageKey()),
  jobId: filter.exact(id(), true),
  source: filter.exact(oneOf(SOURCES)),
  rating: filter.ordered(starsFilter(), true),
  appliedAt: filter.ordered(instant()),
  stageEnteredAt: filter.ordered(instant()),
};

/** Where a new application stands, for examples. */
export const NEW_STANDING = {
  jobId: null,
  status: 'active',
  stage: 'applied',
  stageEnteredAt: '2026-11-21T09:15:02.114Z',
  appliedAt: '2026-11-21T09:15:02.114Z',
  rejectReason: null,
  hiredAt: null,
  startDate: null,
  jobTitle: null,
  departmentId: null,
  managerId: null,
  rating: null,
};

/** What is said of a hire. */
export const HIRE_REFERENCES: Record<string, Reference> = {
  departmentId: { table: 'data.people_departments' },
  managerId: { table: 'data.people_employees', opens: 'employees.personal:read' },
};

export const applicationResource: ResourceDefinition<Application, ApplicationAction> = {
  type: 'talent.application',
  noun: 'application',
  area: 'talent',
  collection: 'applications',
  prefix: 'APP',
  entity: Application,
  view: ApplicationView,
  create: CreateApplication,
  update: UpdateApplication,
  permissions: { read: 'candidates:read', write: 'candidates:write' },
  reach: {
    workspace: workspaceOfWhole('data.talent_candidates', 'candidate_id'),
  },
  lifecycle: applicationLifecycle,
  stateField: 'status',
  inputs: APPLICATION_INPUTS,
  besides: {
    hire: [{ scope: 'candidates:hire-without-offer', when: 'With `force`, where no offer is accepted.' }],
  },
  problems: {
    create: ['duplicate', 'job_not_open', 'record_locked'],
    update: ['do_not_contact', 'duplicate', 'invalid_transition', 'job_not_open', 'offer_missing', 'record_locked'],
    move: ['job_not_open', 'offer_missing', 'record_locked'],
    reject: ['do_not_contact', 'record_locked'],
    withdraw: ['record_locked'],
    reopen: ['duplicate', 'job_not_open', 'record_locked'],
    hire: ['field_forbidden', 'job_not_open', 'offer_missing', 'record_locked'],
  },
  bodies: {
    update: { tags: ['priority'] },
    hire: { startDate: '2027-01-04', jobTitle: 'Backend engineer' },
  },
  defaults: { source: 'other' },
  references: {
    candidateId: { table: 'data.talent_candidates' },
    jobId: { table: 'data.talent_jobs' },
    ...HIRE_REFERENCES,
  },
  list: {
    filters: {
      ...recordFilters('talent.application'),
      ...STANDING_FILTERS,
      candidateId: filter.exact(id()),
    },
    sorts: ['createdAt', 'updatedAt', 'name', 'rating', 'stageEnteredAt'],
    defaultSort: '-createdAt',
  },
  example: {
    id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20',
    object: 'talent.application',
    reference: 'APP-000123',
    name: 'General application',
    ...EMPTY_ENVELOPE,
    version: 1,
    createdAt: '2026-11-21T09:15:02.114Z',
    updatedAt: '2026-11-21T09:15:02.114Z',
    createdBy: PRINCIPAL,
    updatedBy: PRINCIPAL,
    archivedAt: null,
    deletedAt: null,
    allowedActions: null,
    ...NEW_STANDING,
    candidateId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b23',
    source: 'other',
    lastActivityAt: '2026-11-21T09:15:02.114Z',
    notifyAt: null,
  },
};
