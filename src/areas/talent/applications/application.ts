import { Column } from 'typeorm';
import { id, instant, oneOf } from '#libs/http/field.js';
import { Attribute, ReadOnly } from '#libs/resource/types/attribute.js';
import { workspaceOfWhole } from '#libs/resource/types/part-of.js';
import { recordType, type Shown } from '#libs/resource/types/record-type.js';
import { type Source, SOURCES } from '../talent.parts.js';
import { APPLICATION_INPUTS, HireShortly } from './application.actions.js';
import { applicationLifecycle } from './application.lifecycle.js';
import { StandingRow } from './application.standing.js';

/** A candidate's application, for a job or in general. */
export class Application extends StandingRow {
  @Attribute(id(), 'Candidate who applies.', {
    example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b23',
    once: true,
    names: { table: 'data.talent_candidates' },
    filter: true,
  })
  candidateId!: string;

  @Attribute(oneOf(SOURCES), 'Channel that the application came through; `other` by default.', {
    default: 'other',
    example: 'referral',
    filter: true,
  })
  source!: Source;

  @ReadOnly(instant(), 'Time of the last action on the application.', { example: '2026-11-21T09:15:02.114Z' })
  lastActivityAt!: string;

  @ReadOnly(
    instant(),
    'Time at which the candidate is told of the rejection by mail; null if they are not. They are not, either, if they have no address or must not be contacted by then.',
    {
      nullable: true,
    },
  )
  notifyAt!: string | null;

  @ReadOnly(id(), 'Template of talent mappings named by the hire; null for the one that matches best.', {
    nullable: true,
  })
  mappingTemplateId!: string | null;

  /** Stage in which a closed application was before it ended. */
  @Column('text', { name: 'stage_before', nullable: true })
  stageBefore!: string | null;

  /** Set when a new application is saved together with its candidate. Not a column. */
  isFirst?: true;
}

export type ShownApplication = Shown<Application>;

export const applications = recordType(Application, {
  area: 'talent',
  collection: 'applications',
  noun: 'application',
  prefix: 'APP',
  partOf: 'candidateId',
  permissions: { read: 'candidates:read', write: 'candidates:write' },
  reach: { workspace: workspaceOfWhole('data.talent_candidates', 'candidate_id') },
  name: { example: 'General application', about: 'Label; by default the name of the job.', optional: true },
  lifecycle: applicationLifecycle,
  stageField: 'stage',
  inputs: APPLICATION_INPUTS,
  patchInputs: { hire: HireShortly },
  besides: { hire: [{ scope: 'candidates:hire-without-offer', when: 'With `force`, if no offer is accepted.' }] },
  problems: {
    create: ['duplicate', 'job_not_open', 'record_locked'],
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
});
