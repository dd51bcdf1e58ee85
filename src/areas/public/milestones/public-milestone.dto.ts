import { civilDate, Field, instant, integer, name, oneOf, text } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';

/** A reached milestone as shown to the customer. */
export class PublicMilestone {
  @Field(name(), { description: 'Result that was reached.', example: 'Go-live' })
  name!: string;

  @Field(text({ max: 50_000 }), { description: 'Description.', nullable: true })
  description!: string | null;

  @Field(name(), { description: 'Name of the project.', example: 'Website' })
  projectName!: string;

  @Field(oneOf(['reached', 'accepted']), { description: 'State of the milestone.', example: 'reached' })
  status!: string;

  @Field(civilDate(), { description: 'Date by which it should be reached.', example: '2027-01-31', nullable: true })
  dueDate!: string | null;

  @Field(instant(), { description: 'Time at which it was reached.', example: '2027-01-29T15:04:05.000Z' })
  reachedAt!: string;

  @Field(integer({ min: 0, max: MAX_MINOR }), {
    description: 'Amount that is invoiced for it, in minor units; null for none.',
    example: 400000,
    nullable: true,
  })
  amountMinor!: number | null;

  @Field(currencyCode(), { description: 'ISO 4217 code of the amount.', nullable: true })
  currency!: string | null;

  @Field(instant(), { description: 'Time of acceptance; null before.', nullable: true })
  acceptedAt!: string | null;

  @Field(text({ max: 200 }), { description: 'Name of the person who accepted.', nullable: true })
  acceptedBy!: string | null;
}

export class AcceptMilestone {
  @Field(name(200), { description: 'Your name.', example: 'Grace Hopper' })
  name!: string;
}
