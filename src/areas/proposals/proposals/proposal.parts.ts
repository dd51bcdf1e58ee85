import { emailAddress } from '#libs/http/email-field.js';
import { Field, flag, id, instant, integer, listOf, name, nested, oneOf, text } from '#libs/http/field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { decimal } from '#libs/lines/decimal.js';
import { LineInput, LineView, MAX_LINES } from '#libs/lines/line.dto.js';

/** Largest number of quantities that a customer can choose from. */
export const MAX_CHOICES = 20;

const quantity = () => decimal({ min: 0.0001, max: 999_999_999 });
const choices = () => listOf(quantity(), { max: MAX_CHOICES, unique: true });

const OPTIONAL = 'Whether the customer can leave it out; false by default.';
const SELECTED =
  'Whether an optional line is in the totals, and chosen until the customer changes it; false by default.';
const CHOICES =
  'Quantities that the customer can choose from; none for a fixed one. The quantity must be one of them, the first by default.';

/** A line of a proposal as the caller sends it. */
export class ProposalLineInput extends LineInput {
  @Field(flag(), { description: OPTIONAL, optional: true })
  isOptional?: boolean;

  @Field(flag(), { description: SELECTED, optional: true })
  isSelected?: boolean;

  @Field(choices(), { description: CHOICES, example: [1, 5, 10], optional: true })
  quantityChoices?: number[];
}

/** A line of a proposal as stored and shown. */
export class ProposalLine extends LineView {
  @Field(flag(), { description: 'Whether the customer can leave it out.', example: true })
  isOptional!: boolean;

  @Field(flag(), { description: 'Whether it is in the totals: true unless it is optional and not chosen in advance.' })
  isSelected!: boolean;

  @Field(choices(), { description: 'Quantities that the customer can choose from; none for a fixed one.', example: [] })
  quantityChoices!: number[];

  @Field(integer({ min: 0, max: MAX_MINOR }), {
    description: 'What one cost when the line was written, as the product says, in minor units; null if unknown.',
    nullable: true,
  })
  unitCostMinor!: number | null;
}

/** A line that the customer has chosen, or whose quantity. */
export class ChosenLine {
  @Field(id(), { description: 'Id of a line that is optional or has quantities to choose from.' })
  lineId!: string;

  @Field(quantity(), {
    description: 'One of `quantityChoices` of the line; its quantity by default.',
    example: 5,
    optional: true,
  })
  quantity?: number;
}

/** What was accepted of a line. */
export class AcceptedOption {
  @Field(id(), { description: 'Id of the line.' })
  lineId!: string;

  @Field(quantity(), { description: 'Quantity that was accepted.', example: 5 })
  quantity!: number;
}

/** The consent of the customer. */
export class Acceptance {
  @Field(name(200), { description: 'Name of the person who accepted.', example: 'Grace Hopper' })
  name!: string;

  @Field(emailAddress(), { description: 'E-mail address of that person.', nullable: true })
  email!: string | null;

  @Field(instant(), { description: 'Time of the acceptance.', example: '2026-11-24T10:00:00.000Z' })
  at!: string;

  @Field(text({ max: 64 }), {
    description: 'IP address from which it came; null if recorded by a member.',
    nullable: true,
  })
  ip!: string | null;

  @Field(text({ max: 200 }), { description: 'Text with which that person signed; null without one.', nullable: true })
  signature!: string | null;

  @Field(listOf(nested(AcceptedOption), { max: MAX_LINES }), {
    description: 'The optional lines that were accepted, and those whose quantity was chosen.',
  })
  acceptedOptions!: AcceptedOption[];
}

/** The public link that the last mails name; its URL is only in them. */
export class ProposalLink {
  @Field(id(), { description: 'Id of the link, to revoke it.' })
  id!: string;

  @Field(oneOf(['active', 'expired', 'revoked']), { description: 'Whether it opens the proposal.', example: 'active' })
  status!: 'active' | 'expired' | 'revoked';

  @Field(instant(), { description: 'Expiry time.', example: '2027-02-19T00:00:00.000Z' })
  expiresAt!: string;
}

/** What became of the deal of an accepted proposal. */
export const DEAL_OUTCOMES = ['won', 'already_won', 'not_open', 'not_permitted', 'gate'] as const;
export type DealOutcome = (typeof DEAL_OUTCOMES)[number];

export const dealOutcome = oneOf(DEAL_OUTCOMES);

export const PROPOSAL_LINE_EXAMPLE = {
  id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b31',
  position: 1,
  productId: null,
  description: 'Workshop',
  quantity: 2,
  unit: 'day',
  unitPriceMinor: 120000,
  discountPercent: 0,
  taxRateId: null,
  taxName: null,
  taxPercent: 20,
  grossMinor: 240000,
  discountMinor: 0,
  netMinor: 240000,
  taxMinor: 48000,
  totalMinor: 288000,
  isOptional: false,
  isSelected: true,
  quantityChoices: [],
  unitCostMinor: null,
};
