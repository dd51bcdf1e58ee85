import { emailAddress } from '#libs/http/email-field.js';
import { civilDate, Field, flag, id, instant, integer, listOf, name, nested, oneOf, text } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { decimal, percentage } from '#libs/lines/decimal.js';
import { MAX_LINES } from '#libs/lines/line.dto.js';
import { MAX_CHOICES } from '#src/areas/proposals/proposals.area.js';

const amount = () => integer({ min: -MAX_MINOR, max: MAX_MINOR });
const quantity = () => decimal({ min: -999_999_999, max: 999_999_999 });
const versionNumber = () => integer({ min: 1, max: 1_000 });

const STATES = ['open', 'accepted', 'declined', 'expired', 'superseded', 'withdrawn'] as const;

export class PublicProposalLine {
  @Field(id(), { description: 'Id of the line, to choose it.' })
  id!: string;

  @Field(name(2_000), { description: 'Goods or service.', example: 'Workshop' })
  description!: string;

  @Field(quantity(), { description: 'Quantity.', example: 2 })
  quantity!: number;

  @Field(text({ max: 40 }), { description: 'Unit of the quantity.', example: 'day', nullable: true })
  unit!: string | null;

  @Field(amount(), { description: 'Price of one unit, in minor units.', example: 120000 })
  unitPriceMinor!: number;

  @Field(percentage(), { description: 'Discount in percent.', example: 0 })
  discountPercent!: number;

  @Field(text({ max: 200 }), { description: 'Name of the tax.', example: 'VAT', nullable: true })
  taxName!: string | null;

  @Field(percentage(), { description: 'Tax in percent; null for none.', example: 20, nullable: true })
  taxPercent!: number | null;

  @Field(amount(), { description: 'Amount after discount and before tax, in minor units.', example: 240000 })
  netMinor!: number;

  @Field(amount(), { description: 'Amount after discount and with tax, in minor units.', example: 288000 })
  totalMinor!: number;

  @Field(flag(), { description: 'Whether it can be left out.', example: false })
  isOptional!: boolean;

  @Field(flag(), { description: 'Whether it is in the totals.', example: true })
  isSelected!: boolean;

  @Field(listOf(quantity(), { max: MAX_CHOICES }), {
    description: 'Quantities to choose from; none for a fixed one.',
    example: [],
  })
  quantityChoices!: number[];
}

/** A proposal as shown to the customer. Of an accepted one, the lines and sums are what was accepted. */
export class PublicProposal {
  @Field(text({ max: 40 }), { description: 'Number of the proposal.', example: 'PROP-000001' })
  number!: string;

  @Field(versionNumber(), { description: 'Number of the version, to be sent along with an answer.', example: 1 })
  versionNumber!: number;

  @Field(name(), { description: 'Subject.', example: 'Workshops for Globex' })
  name!: string;

  @Field(oneOf(STATES), {
    description: 'State of the proposal. `superseded`: a new version is being prepared.',
    example: 'open',
  })
  status!: (typeof STATES)[number];

  @Field(civilDate(), { description: 'Last day on which it can be accepted; null for no end.', nullable: true })
  validUntilDate!: string | null;

  @Field(text({ max: 20_000 }), { description: 'Text before the lines.', nullable: true })
  introduction!: string | null;

  @Field(text({ max: 20_000 }), { description: 'Terms.', nullable: true })
  terms!: string | null;

  @Field(currencyCode(), { description: 'ISO 4217 code.', example: 'USD' })
  currency!: string;

  @Field(flag(), { description: 'Whether unit prices include tax.', example: false })
  taxInclusive!: boolean;

  @Field(listOf(nested(PublicProposalLine), { max: MAX_LINES }), { description: 'Lines.' })
  lineItems!: PublicProposalLine[];

  @Field(amount(), { description: 'Total of the selected lines before tax, in minor units.', example: 240000 })
  netMinor!: number;

  @Field(amount(), { description: 'Total of the selected lines with tax, in minor units.', example: 288000 })
  totalMinor!: number;

  @Field(instant(), { description: 'Time of the acceptance; null before.', nullable: true })
  acceptedAt!: string | null;

  @Field(text({ max: 200 }), { description: 'Name of the person who accepted; null before.', nullable: true })
  acceptedBy!: string | null;
}

export class AcceptProposal {
  @Field(versionNumber(), {
    description: '`versionNumber` that was read; a newer version has to be read first.',
    example: 1,
  })
  versionNumber!: number;

  @Field(name(200), { description: 'Your name.', example: 'Grace Hopper' })
  name!: string;

  @Field(emailAddress(), { description: 'Your e-mail address.', example: 'grace@globex.example', optional: true })
  email?: string;

  @Field(text({ min: 1, max: 200 }), {
    description: 'Text of your signature; your name by default.',
    example: 'Grace Hopper',
    optional: true,
  })
  signature?: string;

  @Field(
    listOf(
      text({
        min: 36,
        max: 60,
        pattern: /^[0-9a-fA-F-]{36}(:\d{1,9}(\.\d{1,4})?)?$/,
        form: 'the id of a line, or the id, a colon and a quantity',
      }),
      { max: MAX_LINES },
    ),
    {
      description:
        'Ids of the optional lines that are wanted, and of lines with quantities to choose from, each with the quantity after a colon. Optional lines that are not named are not wanted.',
      example: [],
      optional: true,
    },
  )
  options?: string[];
}

export class DeclineProposal {
  @Field(versionNumber(), { description: '`versionNumber` that was read.', example: 1 })
  versionNumber!: number;

  @Field(text({ min: 1, max: 2_000 }), { description: 'Reason.', example: 'Too expensive', optional: true })
  reason?: string;
}
