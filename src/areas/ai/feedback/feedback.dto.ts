import { constant, Field, id, instant, integer, nested, text } from '#libs/http/field.js';
import { ActorView } from '#libs/resource/record.dto.js';
import type { ActorStamp } from '#libs/resource/record.entity.js';

/** Type key of what somebody says about a result; also the beginning of its event types. */
export const FEEDBACK_TYPE = 'ai.feedback';

const ratingSchema = { type: 'integer', enum: [-1, 1] };
/** Good or bad. */
const rating = () => ({
  ...integer({ min: -1, max: 1 }),
  schema: ratingSchema,
  check: (value: unknown) =>
    value === -1 || value === 1 ? [] : [{ code: 'invalid_value', detail: 'The value must be -1 or 1.' }],
});
const comment = () => text({ min: 1, max: 5_000 });
const correctedOutput = () => text({ min: 1, max: 100_000 });

/** What somebody says about the result of a job. */
export class GiveFeedback {
  @Field(rating(), { description: '1 for a good result, -1 for a bad one.', example: 1 })
  rating!: -1 | 1;

  @Field(comment(), { description: 'Why.', optional: true, nullable: true, example: 'To the point' })
  comment?: string | null;

  @Field(correctedOutput(), {
    description: 'What the result should have been.',
    optional: true,
    nullable: true,
    example: 'Acme renews in May at the same price.',
  })
  correctedOutput?: string | null;
}

/** Feedback without its texts, which events and the audit log leave out. */
export class FeedbackFacts {
  @Field(id(), { description: 'Id of the feedback.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b97' })
  id!: string;

  @Field(constant(FEEDBACK_TYPE), { description: 'Type of the record.', example: FEEDBACK_TYPE })
  object!: string;

  @Field(id(), { description: 'The job.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b96' })
  jobId!: string;

  @Field(integer({ min: 1, max: 2_147_483_647 }), {
    description: 'Rises by one each time it is given again.',
    example: 1,
  })
  version!: number;

  @Field(rating(), { description: '1 for a good result, -1 for a bad one.', example: 1 })
  rating!: -1 | 1;

  @Field(instant(), { description: 'When it was given first.' })
  createdAt!: string;

  @Field(nested(ActorView), { description: 'Who gave it.' })
  createdBy!: ActorStamp;

  @Field(instant(), { description: 'When it was given last.' })
  updatedAt!: string;
}

/** Feedback as the API shows it. */
export class FeedbackView extends FeedbackFacts {
  @Field(comment(), { description: 'Why.', nullable: true, example: 'To the point' })
  comment!: string | null;

  @Field(correctedOutput(), { description: 'What the result should have been.', nullable: true })
  correctedOutput!: string | null;
}

/** For the documentation. */
export const FEEDBACK_EXAMPLE = {
  id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b97',
  object: FEEDBACK_TYPE,
  jobId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b96',
  version: 1,
  rating: 1,
  createdAt: '2026-11-21T09:15:02.114Z',
  createdBy: { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'Website' },
  updatedAt: '2026-11-21T09:15:02.114Z',
};
