import { civilDate, Field, flag, integer, listOf, name, nested, oneOf, text } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { decimal, percentage } from '#libs/lines/decimal.js';
import { MAX_LINES } from '#libs/lines/line.dto.js';

const amount = () => integer({ min: -MAX_MINOR, max: MAX_MINOR });

export class PublicSeller {
  @Field(text({ max: 200 }), { description: 'Legal name.', example: 'Acme Ltd', nullable: true })
  legalName!: string | null;

  @Field(text({ max: 1_000 }), { description: 'Postal address.', nullable: true })
  address!: string | null;

  @Field(text({ max: 60 }), { description: 'Tax number.', nullable: true })
  taxId!: string | null;

  @Field(text({ max: 1_000 }), { description: 'Payment instructions.', nullable: true })
  bank!: string | null;
}

export class PublicAddress {
  @Field(text({ max: 200 }), { description: 'Street and number.', nullable: true })
  line1!: string | null;

  @Field(text({ max: 200 }), { description: 'Further address line.', nullable: true })
  line2!: string | null;

  @Field(text({ max: 100 }), { description: 'City.', nullable: true })
  city!: string | null;

  @Field(text({ max: 100 }), { description: 'State, province or county.', nullable: true })
  region!: string | null;

  @Field(text({ max: 20 }), { description: 'Postal code.', nullable: true })
  postalCode!: string | null;

  @Field(text({ max: 2 }), { description: 'ISO 3166-1 alpha-2 code.', example: 'GB', nullable: true })
  country!: string | null;
}

export class PublicCustomer {
  @Field(name(), { description: 'Name of the customer.', example: 'Globex Ltd' })
  name!: string;

  @Field(text({ max: 60 }), { description: 'Tax number.', nullable: true })
  taxId!: string | null;

  @Field(nested(PublicAddress), { description: 'Postal address.', nullable: true })
  address!: PublicAddress | null;
}

export class PublicInvoiceLine {
  @Field(name(2_000), { description: 'Goods or service charged.', example: 'Consulting' })
  description!: string;

  @Field(decimal({ min: -999_999_999, max: 999_999_999 }), { description: 'Quantity.', example: 2.5 })
  quantity!: number;

  @Field(text({ max: 40 }), { description: 'Unit of the quantity.', example: 'hour', nullable: true })
  unit!: string | null;

  @Field(amount(), { description: 'Price of one unit, in minor units.', example: 12000 })
  unitPriceMinor!: number;

  @Field(percentage(), { description: 'Discount in percent.', example: 0 })
  discountPercent!: number;

  @Field(text({ max: 200 }), { description: 'Name of the tax.', example: 'VAT', nullable: true })
  taxName!: string | null;

  @Field(percentage(), { description: 'Tax in percent; null for none.', example: 20, nullable: true })
  taxPercent!: number | null;

  @Field(amount(), { description: 'Amount after discount and before tax, in minor units.', example: 30000 })
  netMinor!: number;

  @Field(amount(), { description: 'Tax, in minor units.', example: 6000 })
  taxMinor!: number;

  @Field(amount(), { description: 'Amount after discount and with tax, in minor units.', example: 36000 })
  totalMinor!: number;
}

/** An invoice as shown to the customer, with the open amount. */
export class PublicInvoice {
  @Field(text({ max: 60 }), { description: 'Number of the invoice.', example: 'INV-2026-00042' })
  number!: string;

  @Field(name(), { description: 'Subject line.', example: 'Work in November' })
  name!: string;

  @Field(oneOf(['issued', 'partially_paid', 'overdue', 'paid', 'void', 'uncollectible']), {
    description: 'State of the invoice.',
    example: 'issued',
  })
  status!: string;

  @Field(nested(PublicSeller), { description: 'Who charges.', nullable: true })
  seller!: PublicSeller | null;

  @Field(nested(PublicCustomer), { description: 'Customer of the invoice.', nullable: true })
  customer!: PublicCustomer | null;

  @Field(civilDate(), { description: 'Date of the document.', example: '2026-11-21' })
  issueDate!: string;

  @Field(civilDate(), { description: 'Due date.', example: '2026-12-21' })
  dueDate!: string;

  @Field(text({ max: 100 }), { description: 'Purchase order number of the customer.', nullable: true })
  poNumber!: string | null;

  @Field(text({ max: 200 }), { description: 'Reference given by the customer.', nullable: true })
  purchaseRef!: string | null;

  @Field(text({ max: 5_000 }), { description: 'Terms stated on the invoice.', nullable: true })
  terms!: string | null;

  @Field(text({ max: 35 }), { description: 'Language of the document.', example: 'en-GB', nullable: true })
  language!: string | null;

  @Field(currencyCode(), { description: 'ISO 4217 code.', example: 'USD' })
  currency!: string;

  @Field(flag(), { description: 'Whether unit prices include tax.', example: false })
  taxInclusive!: boolean;

  @Field(listOf(nested(PublicInvoiceLine), { max: MAX_LINES }), { description: 'Lines of the invoice.' })
  lineItems!: PublicInvoiceLine[];

  @Field(amount(), { description: 'Total after discounts and before tax, in minor units.', example: 30000 })
  netMinor!: number;

  @Field(amount(), { description: 'Sum of the taxes, in minor units.', example: 6000 })
  taxMinor!: number;

  @Field(amount(), { description: 'Total with tax, in minor units.', example: 36000 })
  totalMinor!: number;

  @Field(amount(), { description: 'Amount still to be paid, in minor units.', example: 36000 })
  balanceMinor!: number;
}
