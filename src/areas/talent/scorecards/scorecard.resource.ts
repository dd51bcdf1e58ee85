import { id, oneOf } from '#libs/http/field.js';
import type { ResourceDefinition } from '#libs/resource/definition.js';
import { filter, recordFilters } from '#libs/resource/list-query.js';
import { EMPTY_ENVELOPE } from '#libs/resource/record.entity.js';
import { MEMBER } from '#libs/resource/references.js';
import { WORKSPACE_OF_APPLICATION } from '../applications/application.parts.js';
import { CreateScorecard, RECOMMENDATIONS, ScorecardView, UpdateScorecard } from './scorecard.dto.js';
import { Scorecard } from './scorecard.entity.js';
import { type ScorecardAction, scorecardLifecycle } from './scorecard.lifecycle.js';

const PRINCIPAL = { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'Website' };

export const scorecardResource: ResourceDefinition<Scorecard, ScorecardAction> = {
  type: 'talent.scorecard',
  noun: 'scorecard',
  area: 'talent',
  collection: 'scorecards',
  prefix: 'CARD',
  entity: Scorecard,
  view: ScorecardView,
  create: CreateScorecard,
  update: UpdateScorecard,
  permissions: { read: 'scorecards:read', write: 'scorecards:write' },
  reach: {
    own: ['t.interviewer_id = :me'],
    workspace: WORKSPACE_OF_APPLICATION,
  },
  lifecycle: scorecardLifecycle,
  stateField: 'status',
  inputs: {},
  problems: {
    create: ['application_closed', 'duplicate', 'record_locked'],
    update: ['invalid_transition', 'record_locked', 'required_fields_missing'],
    submit: ['record_locked', 'required_fields_missing'],
  },
  bodies: { update: { recommendation: 'yes', ratings: [{ criterion: 'Databases', score: 4 }] } },
  defaults: { name: 'Scorecard', ratings: [] },
  references: {
    applicationId: { table: 'data.talent_applications' },
    interviewId: { table: 'data.talent_interviews' },
    interviewerId: MEMBER,
  },
  list: {
    filters: {
      ...recordFilters('talent.scorecard'),
      status: filter.exact(oneOf(scorecardLifecycle.states)),
      applicationId: filter.exact(id()),
      interviewId: filter.exact(id(), true),
      interviewerId: filter.member(),
      recommendation: filter.exact(oneOf(RECOMMENDATIONS), true),
    },
    sorts: ['createdAt', 'updatedAt', 'name', 'submittedAt'],
    defaultSort: '-createdAt',
  },
  example: {
    id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20',
    object: 'talent.scorecard',
    reference: 'CARD-000123',
    name: 'Scorecard',
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
    applicationId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b24',
    interviewId: null,
    interviewerId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b25',
    ratings: [{ criterion: 'Databases', score: 4, note: null }],
    recommendation: 'yes',
    summary: null,
    score: null,
    submittedAt: null,
  },
};
