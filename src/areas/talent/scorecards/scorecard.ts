import { Column } from 'typeorm';
import { Field, id, instant, integer, listOf, name, nested, number, oneOf, text } from '#libs/http/field.js';
import { Attribute, Derived, ReadOnly } from '#libs/resource/types/attribute.js';
import { filter } from '#libs/resource/lists/list-query.js';
import { RecordRow } from '#libs/resource/types/record.entity.js';
import { recordType, type Shown } from '#libs/resource/types/record-type.js';
import { MEMBER } from '#libs/resource/access/references.js';
import { WORKSPACE_OF_APPLICATION } from '../applications/application.parts.js';
import { scorecardLifecycle, type ScorecardStatus } from './scorecard.lifecycle.js';

const RECOMMENDATIONS = ['strong_no', 'no', 'yes', 'strong_yes'] as const;

/** Rating of a candidate for one criterion. */
export class ScorecardRating {
  @Field(name(100), { description: 'Criterion that is rated.', example: 'Databases' })
  criterion!: string;

  @Field(integer({ min: 1, max: 5 }), { description: 'Score from 1, the worst, to 5.', example: 4 })
  score!: number;

  @Field(text({ max: 2_000 }), { description: 'Explanation of the score.', optional: true, nullable: true })
  note!: string | null;
}

/** An interviewer's assessment of a candidate. */
export class Scorecard extends RecordRow {
  @ReadOnly(oneOf(scorecardLifecycle.states), 'State of the scorecard. A submitted one cannot be changed.', {
    example: 'draft',
    filter: true,
  })
  status!: ScorecardStatus;

  @Attribute(id(), 'Open application that the scorecard is about.', {
    example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b24',
    once: true,
    names: { table: 'data.talent_applications' },
    filter: true,
  })
  applicationId!: string;

  @Attribute(id(), 'Interview that the scorecard is about; one on the same application.', {
    nullable: true,
    once: true,
    names: { table: 'data.talent_interviews' },
    filter: true,
  })
  interviewId!: string | null;

  @Attribute(id(), 'Membership of the interviewer; by default the one that the caller acts for.', {
    example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b25',
    optional: true,
    once: true,
    names: MEMBER,
    filter: filter.member(),
  })
  interviewerId!: string;

  @Attribute(listOf(nested(ScorecardRating), { max: 30 }), 'Ratings by criterion; at least one when it is submitted.', {
    default: [],
    example: [{ criterion: 'Databases', score: 4, note: null }],
    privacy: 'sensitive',
  })
  ratings!: ScorecardRating[];

  @Attribute(oneOf(RECOMMENDATIONS), 'Recommendation to hire; needed when it is submitted.', {
    example: 'yes',
    nullable: true,
    filter: true,
    privacy: 'sensitive',
  })
  recommendation!: (typeof RECOMMENDATIONS)[number] | null;

  @Attribute(text({ max: 10_000 }), 'Summary in words.', { nullable: true, privacy: 'sensitive' })
  summary!: string | null;

  /** In hundredths; set when the scorecard is submitted. */
  @Derived(number({ min: 1, max: 5 }), 'Mean of its ratings, with two decimals; null for a draft.', {
    nullable: true,
    privacy: 'sensitive',
  })
  @Column('integer', { name: 'score_hundredths', nullable: true })
  score!: number | null;

  @ReadOnly(instant(), 'Time of submission.', { nullable: true, sort: true })
  submittedAt!: string | null;
}

export type ShownScorecard = Shown<Scorecard>;

export const scorecards = recordType(Scorecard, {
  area: 'talent',
  collection: 'scorecards',
  noun: 'scorecard',
  prefix: 'CARD',
  partOf: 'applicationId',
  permissions: { read: 'interview-scorecards:read', write: 'interview-scorecards:write' },
  reach: { own: ['t.interviewer_id = :me'], workspace: WORKSPACE_OF_APPLICATION },
  name: { example: 'Scorecard', about: 'Label; `Scorecard` by default.', default: 'Scorecard' },
  lifecycle: scorecardLifecycle,
  problems: {
    create: ['application_closed', 'duplicate', 'record_locked'],
    update: ['record_locked'],
    submit: ['record_locked', 'required_fields_missing'],
  },
  bodies: { update: { recommendation: 'yes', ratings: [{ criterion: 'Databases', score: 4 }] } },
});
