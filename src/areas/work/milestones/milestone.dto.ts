import { civilDate, Field, flag, id, instant, integer, name, nested, oneOf, text } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { RecordInput, RecordView, updateOf } from '#libs/resource/record.dto.js';
import { milestoneLifecycle, type MilestoneStatus } from './milestone.lifecycle.js';

const MAX_DESCRIPTION = 50_000;

/** Whether and by whom a reached milestone is accepted. */
export class AcceptanceInput {
  @Field(flag(), { description: 'Whether the customer must accept it.', optional: true })
  required!: boolean;

  @Field(id(), { description: 'Contact who accepts it.', optional: true, nullable: true })
  contactId!: string | null;
}

export class AcceptanceView {
  @Field(flag(), { description: 'Whether the customer must accept it.' })
  required!: boolean;

  @Field(id(), { description: 'Contact who accepts it.', nullable: true })
  contactId!: string | null;

  @Field(instant(), { description: 'When it was accepted.', nullable: true })
  acceptedAt!: string | null;
}

export class CreateMilestone extends RecordInput {
  @Field(name(), { description: 'What is to be reached.', example: 'Go-live' })
  override name!: string;

  @Field(id(), { description: 'Project it belongs to, for good.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22' })
  projectId!: string;

  @Field(text({ max: MAX_DESCRIPTION }), { description: 'Markdown.', optional: true, nullable: true })
  description!: string | null;

  @Field(civilDate(), {
    description: 'Day by which it should be reached.',
    example: '2027-01-31',
    optional: true,
    nullable: true,
  })
  dueDate!: string | null;

  @Field(integer({ min: 0, max: MAX_MINOR }), {
    description: 'What can be invoiced when it is reached, in minor units of the project’s currency.',
    example: 400000,
    optional: true,
    nullable: true,
  })
  billableMinor!: number | null;

  @Field(nested(AcceptanceInput), { description: 'Acceptance. A patch merges the members.', optional: true })
  acceptance!: AcceptanceInput;
}

/** A merge patch; with `status` it is the action that leads there. */
export const UpdateMilestone = updateOf(
  'UpdateMilestone',
  CreateMilestone,
  { field: 'status', lifecycle: milestoneLifecycle, inputs: {} },
  ['projectId'],
);

export class MilestoneView extends RecordView {
  @Field(id(), { description: 'Project it belongs to.' })
  projectId!: string;

  @Field(text({ max: MAX_DESCRIPTION }), { description: 'Markdown.', nullable: true })
  description!: string | null;

  @Field(oneOf(milestoneLifecycle.states), { description: 'State.', example: 'open' })
  status!: MilestoneStatus;

  @Field(civilDate(), { description: 'Day by which it should be reached.', nullable: true })
  dueDate!: string | null;

  @Field(flag(), { description: 'Open after its day.' })
  isMissed!: boolean;

  @Field(integer({ min: 0, max: MAX_MINOR }), {
    description: 'What can be invoiced when it is reached, in minor units.',
    nullable: true,
  })
  billableMinor!: number | null;

  @Field(currencyCode(), {
    description: 'Currency of that: the project’s when the milestone was reached; null before.',
    nullable: true,
  })
  currency!: string | null;

  @Field(nested(AcceptanceView), { description: 'Acceptance.' })
  acceptance!: AcceptanceView;

  @Field(instant(), { description: 'When it was reached.', nullable: true })
  reachedAt!: string | null;
}
