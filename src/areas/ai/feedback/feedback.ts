import { Column } from 'typeorm';
import { VersionedRow } from '#libs/database/tenant-row.js';
import { id, integer, nested, text } from '#libs/http/field.js';
import { Attribute, Mapped, ReadOnly } from '#libs/resource/types/attribute.js';
import { governedType, type ShownObject } from '#libs/resource/types/governed-type.js';
import { ActorView } from '#libs/resource/types/record.dto.js';

const rating = {
  ...integer({ min: -1, max: 1 }),
  schema: { type: 'integer', enum: [-1, 1] },
  check: (value: unknown) =>
    value === -1 || value === 1 ? [] : [{ code: 'invalid_value', detail: 'The value must be -1 or 1.' }],
};

/** A person's feedback about the result of a job. Events and the audit log omit its texts. */
export class Feedback extends VersionedRow {
  @ReadOnly(id(), 'Id of the job.', { example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b96' })
  jobId!: string;

  /** One feedback per person and job. */
  @Column('uuid')
  person!: string;

  @Mapped(rating, '1 for a good result, -1 for a bad one.', { example: 1 })
  @Column('smallint')
  rating!: -1 | 1;

  @Attribute(text({ min: 1, max: 5_000 }), 'Reason for the rating.', {
    example: 'To the point',
    nullable: true,
    told: false,
  })
  comment!: string | null;

  @Attribute(text({ min: 1, max: 100_000 }), 'Result as it should have been.', {
    example: 'Acme renews in May at the same price.',
    nullable: true,
    told: false,
  })
  correctedOutput!: string | null;

  @ReadOnly(nested(ActorView), 'Author of the feedback.', {
    example: { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'Website' },
  })
  createdBy!: ActorView;
}

export const feedbacks = governedType(Feedback, {
  type: 'ai.feedback',
  noun: 'feedback',
  table: 'data.ai_feedback',
  path: '/api/ai/jobs/019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b96',
  hasPath: false,
  risk: 'low',
  events: { given: 'A member rated the result of an AI job, or changed the rating.' },
});

/** A rating with optional details. */
export type GivenFeedback = Pick<Feedback, 'rating'> & Partial<Pick<Feedback, 'comment' | 'correctedOutput'>>;

export type ShownFeedback = ShownObject<Feedback>;
