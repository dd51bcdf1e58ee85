import { id, instant, oneOf } from '#libs/http/field.js';
import type { ResourceDefinition } from '#libs/resource/definition.js';
import { member } from '#libs/resource/envelope.js';
import { filter, recordFilters } from '#libs/resource/list-query.js';
import { EMPTY_ENVELOPE } from '#libs/resource/record.entity.js';
import { MEMBER } from '#libs/resource/references.js';
import { WORKSPACE_OF_APPLICATION } from '../applications/application.parts.js';
import { CreateInterview, INTERVIEW_KINDS, InterviewView, UpdateInterview } from './interview.dto.js';
import { Interview } from './interview.entity.js';
import { type InterviewAction, interviewLifecycle } from './interview.lifecycle.js';

const PRINCIPAL = { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'Website' };

export const interviewResource: ResourceDefinition<Interview, InterviewAction> = {
  type: 'talent.interview',
  noun: 'interview',
  area: 'talent',
  collection: 'interviews',
  prefix: 'INT',
  entity: Interview,
  view: InterviewView,
  create: CreateInterview,
  update: UpdateInterview,
  permissions: { read: 'interviews:read', write: 'interviews:write' },
  reach: {
    own: [
      `t.id = any(array(select x.interview_id from data.talent_interview_people x where x.tenant_id = :tenant and x.interviewer_id = :me))`,
    ],
    workspace: WORKSPACE_OF_APPLICATION,
  },
  lifecycle: interviewLifecycle,
  stateField: 'status',
  inputs: {},
  problems: {
    create: ['application_closed', 'do_not_contact', 'record_locked'],
    update: ['invalid_transition', 'record_locked'],
  },
  bodies: { update: { location: 'Room 4' } },
  defaults: { kind: 'video', interviewerIds: [] },
  references: { applicationId: { table: 'data.talent_applications' }, interviewerIds: MEMBER },
  list: {
    filters: {
      ...recordFilters('talent.interview'),
      status: filter.exact(oneOf(interviewLifecycle.states)),
      applicationId: filter.exact(id()),
      kind: filter.exact(oneOf(INTERVIEW_KINDS)),
      startAt: filter.ordered(instant()),
      interviewerId: {
        ...filter.related(
          member(),
          `exists (select 1 from data.talent_interview_people x where x.tenant_id = t.tenant_id
            and x.interviewer_id = any(:values::uuid[]) and x.interview_id = t.id)`,
        ),
        person: true,
      },
    },
    sorts: ['createdAt', 'updatedAt', 'name', 'startAt'],
    defaultSort: '-startAt',
    trashPermission: 'interviews:delete',
  },
  example: {
    id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20',
    object: 'talent.interview',
    reference: 'INT-000123',
    name: 'Video interview',
    ...EMPTY_ENVELOPE,
    version: 1,
    createdAt: '2026-11-21T09:15:02.114Z',
    updatedAt: '2026-11-21T09:15:02.114Z',
    createdBy: PRINCIPAL,
    updatedBy: PRINCIPAL,
    archivedAt: null,
    deletedAt: null,
    allowedActions: null,
    status: 'scheduled',
    applicationId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b24',
    kind: 'video',
    startAt: '2026-12-01T09:00:00.000Z',
    endAt: '2026-12-01T10:00:00.000Z',
    interviewerIds: [],
    location: null,
    feedbackDueAt: null,
  },
};
