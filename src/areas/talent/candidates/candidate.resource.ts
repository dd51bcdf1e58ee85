import { instant, text, type Kind } from '#libs/http/field.js';
import { fold } from '#libs/kernel/fold.js';
import type { ResourceDefinition } from '#libs/resource/definition.js';
import { filter, recordFilters } from '#libs/resource/list-query.js';
import { EMPTY_ENVELOPE } from '#libs/resource/record.entity.js';
import { MEMBER } from '#libs/resource/references.js';
import { applicationResource, NEW_STANDING, STANDING_FILTERS } from '../applications/application.resource.js';
import { CANDIDATE_INPUTS, CandidateView, CreateCandidate, UpdateCandidate } from './candidate.dto.js';
import { Candidate } from './candidate.entity.js';
import { type CandidateAction, candidateLifecycle } from './candidate.lifecycle.js';

const PRINCIPAL = { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'Website' };
const foldedSkill = (): Kind => ({ ...text({ min: 1, max: 100 }), parse: fold });
const { move, reject, withdraw, reopen, hire } = applicationResource.problems!;

export const candidateResource: ResourceDefinition<Candidate, CandidateAction> = {
  type: 'talent.candidate',
  noun: 'candidate',
  area: 'talent',
  collection: 'candidates',
  prefix: 'CAND',
  entity: Candidate,
  view: CandidateView,
  create: CreateCandidate,
  update: UpdateCandidate,
  permissions: { read: 'candidates:read', write: 'candidates:write' },
  lifecycle: candidateLifecycle,
  stateField: 'status',
  inputs: CANDIDATE_INPUTS,
  problems: {
    create: ['duplicate', 'field_forbidden', 'job_not_open'],
    update: ['do_not_contact', 'duplicate', 'field_forbidden', 'invalid_transition', 'job_not_open', 'offer_missing'],
    move: move!,
    reject: reject!,
    withdraw: withdraw!,
    reopen: reopen!,
    hire: hire!,
    anonymize: ['record_locked'],
    unarchive: ['duplicate', 'record_locked'],
    restore: ['duplicate'],
  },
  besides: { hire: applicationResource.besides!.hire! },
  bodies: {
    create: { name: 'Ada Lovelace', email: 'ada@example.com', skills: ['PostgreSQL'] },
    update: { headline: 'Writes programs for machines that do not exist yet' },
    hire: { startDate: '2027-01-04', jobTitle: 'Backend engineer' },
  },
  defaults: { emails: [], phones: [], links: [], skills: [], source: 'other', isPrivate: false },
  references: { jobId: { table: 'data.talent_jobs' }, referredById: MEMBER },
  named: { employeeId: { table: 'data.people_employees' }, mergedIntoId: { table: 'data.talent_candidates' } },
  restricted: [{ fields: ['salaryExpectation'], permission: 'candidates.personal:read' }],
  list: {
    filters: {
      ...recordFilters('talent.candidate'),
      ...STANDING_FILTERS,
      skill: filter.related(
        foldedSkill(),
        `exists (select 1 from data.talent_candidate_skills x where x.tenant_id = t.tenant_id
          and x.skill = any(:values) and x.candidate_id = t.id)`,
      ),
      consentExpiresBefore: filter.plain(instant(), 'lt', 't.consent_expires_at'),
    },
    sorts: ['createdAt', 'updatedAt', 'name', 'rating', 'stageEnteredAt'],
    defaultSort: '-createdAt',
    searchable: true,
    trashPermission: 'candidates:delete',
  },
  example: {
    id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20',
    object: 'talent.candidate',
    reference: 'CAND-000123',
    name: 'Ada Lovelace',
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
    firstName: null,
    lastName: null,
    email: 'ada@example.com',
    emails: [],
    phones: [],
    links: [],
    headline: null,
    currentCompany: null,
    currentTitle: null,
    location: null,
    skills: ['PostgreSQL'],
    source: 'other',
    sourceDetail: null,
    referredById: null,
    coverLetter: null,
    consent: null,
    isPrivate: false,
    applicationId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b24',
    employeeId: null,
    mergedIntoId: null,
    anonymizedAt: null,
  },
};
