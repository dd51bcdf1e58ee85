import { civilDate, Field, type FieldOptions, id, instant, name, nested, oneOf, text } from '#libs/http/field.js';
import { RecordInput, RecordView, updateOf } from '#libs/resource/record.dto.js';
import { EMPLOYMENT_TYPES, type EmploymentType, OfferPay } from '../talent.parts.js';
import { offerLifecycle, type OfferStatus } from './offer.lifecycle.js';

const jobTitle = () => text({ min: 1, max: 200 });
const maybe = (description: string, example?: unknown): FieldOptions => ({
  description,
  optional: true,
  nullable: true,
  ...(example === undefined ? {} : { example }),
});

export class CreateOffer extends RecordInput {
  @Field(name(), { description: 'Label; the title or Offer if not given.', optional: true })
  declare name: string;

  @Field(id(), { description: 'The open application that it answers.' })
  applicationId!: string;

  @Field(jobTitle(), maybe('Title.', 'Backend engineer'))
  jobTitle!: string | null;

  @Field(oneOf(EMPLOYMENT_TYPES), { description: 'Kind of employment; full_time if not given.', optional: true })
  employmentType!: EmploymentType;

  @Field(civilDate(), maybe('First day of work.', '2027-01-04'))
  startDate!: string | null;

  @Field(nested(OfferPay), maybe('What it pays.'))
  pay!: OfferPay | null;

  @Field(instant(), maybe('Until when it can be accepted.'))
  expiresAt!: string | null;
}

/** A merge patch; with `status` it is the action that leads there. */
export const UpdateOffer = updateOf(
  'UpdateOffer',
  CreateOffer,
  { field: 'status', lifecycle: offerLifecycle, inputs: {} },
  ['applicationId'],
);

export class OfferView extends RecordView {
  @Field(oneOf(offerLifecycle.states), { description: 'How far it has come.', example: 'draft' })
  status!: OfferStatus;

  @Field(id(), { description: 'The application that it answers.' })
  applicationId!: string;

  @Field(jobTitle(), { description: 'Title.', example: 'Backend engineer', nullable: true })
  jobTitle!: string | null;

  @Field(oneOf(EMPLOYMENT_TYPES), { description: 'Kind of employment.', example: 'full_time' })
  employmentType!: EmploymentType;

  @Field(civilDate(), { description: 'First day of work.', nullable: true })
  startDate!: string | null;

  @Field(nested(OfferPay), { description: 'What it pays.', nullable: true })
  pay!: OfferPay | null;

  @Field(instant(), { description: 'Until when it can be accepted.', nullable: true })
  expiresAt!: string | null;

  @Field(instant(), { description: 'When it was marked as sent.', nullable: true })
  sentAt!: string | null;

  @Field(instant(), { description: 'When it was accepted.', nullable: true })
  acceptedAt!: string | null;
}
