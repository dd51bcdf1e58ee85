import { Column } from 'typeorm';
import { VersionedRow } from '#libs/database/tenant-row.js';
import { civilDate, id, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { filter, listQuery, type ListOptions } from '#libs/resource/lists/list-query.js';
import { ReadOnly } from '#libs/resource/types/attribute.js';
import { governedType } from '#libs/resource/types/governed-type.js';
import { ActorView } from '#libs/resource/types/record.dto.js';
import { Step } from '#libs/steps/step.js';
import type { MappingPromise } from './mapping-promise.js';
import { MappingValues, PATH, REQUIRED_VALUES, type RequiredValue, type ValueName } from './mapping-values.js';

export const MAPPING_STATUSES = ['draft', 'ready', 'applying', 'applied', 'failed', 'cancelled'] as const;
export type MappingStatus = (typeof MAPPING_STATUSES)[number];

const ID = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b2';

/** The plan to make an employee of a candidate. Events and audit entries contain no values. */
export class Mapping extends VersionedRow {
  @ReadOnly(id(), 'Candidate.', { example: `${ID}3` })
  candidateId!: string;

  @ReadOnly(id(), 'Application of the candidate. It has one mapping that is not cancelled.', { example: `${ID}4` })
  applicationId!: string;

  @ReadOnly(id(), 'Template; null for the built-in one, which creates an employee and nothing else.', {
    nullable: true,
  })
  templateId!: string | null;

  @ReadOnly(
    oneOf(MAPPING_STATUSES),
    '`draft` while values are missing, then `ready`. `applying` while steps are open, also while the invitation waits for its time.',
    { example: 'ready' },
  )
  status!: MappingStatus;

  @ReadOnly(nested(MappingValues), 'Values of the employee and of the invitation.', {
    example: { startDate: '2027-01-04', jobTitle: 'Backend engineer' },
    privacy: 'personal',
    told: false,
  })
  values!: MappingValues;

  @ReadOnly(listOf(oneOf(REQUIRED_VALUES), { max: REQUIRED_VALUES.length }), 'Required values that are null.', {
    example: [],
  })
  missing!: RequiredValue[];

  @ReadOnly(listOf(nested(Step), { max: 10 }), 'Steps since the mapping was applied, in their order.', { example: [] })
  steps!: Step[];

  @ReadOnly(id(), 'Employee that the mapping created.', { nullable: true })
  employeeId!: string | null;

  @ReadOnly(id(), 'Invitation that the mapping sent.', { nullable: true })
  invitationId!: string | null;

  @ReadOnly(nested(ActorView), 'Who last applied or retried it.', { nullable: true })
  appliedBy!: ActorView | null;

  @ReadOnly(
    text({ max: 254 }),
    'Address that the invitation was promised to when the mapping was applied or retried; null before, and if nobody is invited. If the employee has another address by then, the step `invitation` fails with `approval_changed`.',
    { example: null, nullable: true, privacy: 'personal', told: false },
  )
  invitee!: string | null;

  /** What was approved when the mapping was applied; null before. */
  @Column('jsonb', { nullable: true })
  promise!: MappingPromise | null;

  /** The start date of the values, for the filter of the list. */
  @Column('date', { name: 'start_date', nullable: true })
  startDate!: string | null;

  /** Names of the values that callers have set. After a hire, all others are derived again. */
  @Column('jsonb')
  given!: ValueName[];
}

export const mappings = governedType(Mapping, {
  type: 'talent.mapping',
  noun: 'talent mapping',
  table: 'data.talent_mappings',
  about: { type: `'talent.candidate'`, id: 't.candidate_id' },
  path: PATH,
  hasPath: false,
  risk: 'medium',
  events: {
    created: 'A talent mapping was created.',
    updated: 'The values or the steps of a talent mapping changed.',
    started: 'A talent mapping was applied or retried: its steps run.',
    applied: 'All steps of a talent mapping are done.',
    failed: 'A step of a talent mapping failed.',
    cancelled: 'A talent mapping was cancelled, and what it had created was reverted.',
    deleted: 'A talent mapping was deleted with the personal data of its candidate.',
  },
});

export const mappingList: ListOptions = {
  filters: {
    status: filter.exact(oneOf(MAPPING_STATUSES)),
    candidateId: filter.exact(id()),
    startBefore: filter.plain(civilDate(), 'lt', 't.start_date'),
  },
  sorts: ['createdAt'],
  defaultSort: '-createdAt',
};

export const MappingListQuery = listQuery('MappingListQuery', mappingList);
