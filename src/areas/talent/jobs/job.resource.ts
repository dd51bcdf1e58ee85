import { flag, id, instant, oneOf } from '#libs/http/field.js';
import type { ResourceDefinition } from '#libs/resource/definition.js';
import { filter, recordFilters } from '#libs/resource/list-query.js';
import { EMPTY_ENVELOPE } from '#libs/resource/record.entity.js';
import { MEMBER } from '#libs/resource/references.js';
import { EMPLOYMENT_TYPES } from '../talent.parts.js';
import { CreateJob, JOB_INPUTS, JobView, UpdateJob } from './job.dto.js';
import { Job } from './job.entity.js';
import { type JobAction, jobLifecycle } from './job.lifecycle.js';
import { DEFAULT_STAGES } from './job.stages.js';

const PRINCIPAL = { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'Website' };

export const jobResource: ResourceDefinition<Job, JobAction> = {
  type: 'talent.job',
  noun: 'job',
  area: 'talent',
  collection: 'jobs',
  prefix: 'JOB',
  entity: Job,
  view: JobView,
  create: CreateJob,
  update: UpdateJob,
  permissions: { read: 'jobs:read', write: 'jobs:write' },
  reach: {
    own: ['t.hiring_manager_id = :me', 't.recruiter_ids ? :me::text'],
  },
  lifecycle: jobLifecycle,
  stateField: 'status',
  inputs: JOB_INPUTS,
  problems: { update: ['field_forbidden', 'invalid_transition', 'in_use', 'record_locked'] },
  bodies: {
    create: { name: 'Backend engineer', openings: 2, isPublic: true },
    update: { openings: 3 },
    close: { openApplications: 'reject', rejectReason: 'The job was filled from inside.' },
    cancel: { openApplications: 'withdraw' },
  },
  defaults: {
    recruiterIds: [],
    openings: 1,
    filledCount: 0,
    employmentType: 'full_time',
    isPublic: false,
    stages: DEFAULT_STAGES,
  },
  references: {
    departmentId: { table: 'data.people_departments' },
    hiringManagerId: { ...MEMBER, opens: 'candidates:read' },
    recruiterIds: { ...MEMBER, opens: 'candidates:read' },
  },
  list: {
    filters: {
      ...recordFilters('talent.job'),
      status: filter.exact(oneOf(jobLifecycle.states)),
      departmentId: filter.exact(id(), true),
      hiringManagerId: filter.member(true),
      employmentType: filter.exact(oneOf(EMPLOYMENT_TYPES)),
      isPublic: filter.exact(flag()),
      publishedAt: filter.ordered(instant(), true),
    },
    sorts: ['createdAt', 'updatedAt', 'name', 'status', 'publishedAt'],
    defaultSort: '-createdAt',
    searchable: true,
    trashPermission: 'jobs:manage',
  },
  example: {
    id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20',
    object: 'talent.job',
    reference: 'JOB-000012',
    name: 'Backend engineer',
    ...EMPTY_ENVELOPE,
    version: 1,
    createdAt: '2026-11-21T09:15:02.114Z',
    updatedAt: '2026-11-21T09:15:02.114Z',
    createdBy: PRINCIPAL,
    updatedBy: PRINCIPAL,
    archivedAt: null,
    deletedAt: null,
    allowedActions: null,
    status: 'draft',
    departmentId: null,
    hiringManagerId: null,
    recruiterIds: [],
    openings: 2,
    filledCount: 0,
    employmentType: 'full_time',
    location: null,
    salaryRange: null,
    description: null,
    isPublic: true,
    publishedAt: null,
    stages: DEFAULT_STAGES,
  },
};
