import {
  Field,
  type FieldOptions,
  id,
  instant,
  integer,
  listOf,
  name,
  nested,
  number,
  oneOf,
  text,
} from '#libs/http/field.js';
import { RecordInput, RecordView, updateOf } from '#libs/resource/record.dto.js';
import { scorecardLifecycle, type ScorecardStatus } from './scorecard.lifecycle.js';

export const RECOMMENDATIONS = ['strong_no', 'no', 'yes', 'strong_yes'] as const;
export type Recommendation = (typeof RECOMMENDATIONS)[number];

/** How good somebody was in one respect. */
export class ScorecardRating {
  @Field(name(100), { description: 'In what.', example: 'Databases' })
  criterion!: string;

  @Field(integer({ min: 1, max: 5 }), { description: 'How good, from 1 to 5.', example: 4 })
  score!: number;

  @Field(text({ max: 2_000 }), { description: 'What it rests on.', optional: true, nullable: true })
  note!: string | null;
}

const ratings = () => listOf(nested(ScorecardRating), { max: 30 });
const summary = () => text({ max: 10_000 });
const maybe = (description: string): FieldOptions => ({ description, optional: true, nullable: true });

export class CreateScorecard extends RecordInput {
  @Field(name(), { description: 'Label; Scorecard if not given.', optional: true })
  declare name: string;

  @Field(id(), { description: 'The open application that it is about.' })
  applicationId!: string;

  @Field(id(), maybe('The interview that it is about, one on the same application.'))
  interviewId!: string | null;

  @Field(id(), {
    description: 'Membership whose card it is; the one that the caller acts for if not given.',
    optional: true,
  })
  interviewerId!: string;

  @Field(ratings(), { description: 'How good the candidate was.', example: [], optional: true })
  ratings!: ScorecardRating[];

  @Field(oneOf(RECOMMENDATIONS), maybe('Whether to go on.'))
  recommendation!: Recommendation | null;

  @Field(summary(), maybe('In words.'))
  summary!: string | null;
}

/** A merge patch; with `status` it is the action that leads there. */
export const UpdateScorecard = updateOf(
  'UpdateScorecard',
  CreateScorecard,
  { field: 'status', lifecycle: scorecardLifecycle, inputs: {} },
  ['applicationId', 'interviewId', 'interviewerId'],
);

export class ScorecardView extends RecordView {
  @Field(oneOf(scorecardLifecycle.states), { description: 'A submitted card never changes.', example: 'draft' })
  status!: ScorecardStatus;

  @Field(id(), { description: 'The application that it is about.' })
  applicationId!: string;

  @Field(id(), { description: 'The interview that it is about.', nullable: true })
  interviewId!: string | null;

  @Field(id(), { description: 'Membership whose card it is.' })
  interviewerId!: string;

  @Field(ratings(), { description: 'How good the candidate was.', example: [] })
  ratings!: ScorecardRating[];

  @Field(oneOf(RECOMMENDATIONS), { description: 'Whether to go on.', nullable: true })
  recommendation!: Recommendation | null;

  @Field(summary(), { description: 'In words.', nullable: true })
  summary!: string | null;

  @Field(number({ min: 1, max: 5 }), {
    description: 'Mean of its ratings, with two decimals; null for a draft.',
    nullable: true,
  })
  score!: number | null;

  @Field(instant(), { description: 'When it was submitted.', nullable: true })
  submittedAt!: string | null;
}
