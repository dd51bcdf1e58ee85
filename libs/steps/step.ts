import { Field, id, instant, nested, oneOf, text } from '#libs/http/field.js';

export const STEP_STATUSES = ['pending', 'waiting', 'done', 'skipped', 'failed'] as const;

export class StepTarget {
  @Field(text({ max: 60 }), { description: 'Type of the record.', example: 'work.project' })
  object!: string;

  @Field(id(), { description: 'Id of the record.' })
  id!: string;
}

export class StepReason {
  @Field(text({ max: 100 }), { description: 'Stable code.', example: 'plan_limit_reached' })
  code!: string;

  @Field(text({ max: 1_000 }), { description: 'Explanation.', example: 'The plan allows no more members.' })
  message!: string;
}

/** A step of a plan, as its record stores and shows it. */
export class Step {
  @Field(text({ max: 60 }), { description: 'Key of the step, unique in its record.', example: 'project' })
  key!: string;

  @Field(oneOf(STEP_STATUSES), {
    description: '`waiting` steps continue at a later time. A `retry` continues at the `failed` step.',
    example: 'done',
  })
  status!: (typeof STEP_STATUSES)[number];

  @Field(nested(StepTarget), { description: 'The record that the step created or changed.', nullable: true })
  target!: StepTarget | null;

  @Field(nested(StepReason), { description: 'Why the step failed or was skipped.', example: null, nullable: true })
  error!: StepReason | null;

  @Field(instant(), { description: 'Time of the last change; null while `pending`.', nullable: true })
  at!: string | null;
}
