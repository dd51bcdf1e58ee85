import { Field, id, integer, name, text } from '#libs/http/field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { decimal, percentage } from './decimal.js';

/** Maximum number of lines per document. */
export const MAX_LINES = 500;

const quantity = () => decimal({ min: -999_999_999, max: 999_999_999 });
const unitPrice = () => integer({ min: -MAX_MINOR, max: MAX_MINOR });
const amount = () => integer({ min: -MAX_MINOR, max: MAX_MINOR });

/** A line as the caller sends it. Types with additional fields extend it. */
export class LineInput {
  @Field(id(), { description: 'Id of a line that the record has already; absent for a new line.', optional: true })
  id?: string;

  @Field(id(), { description: 'Product.', optional: true, nullable: true })
  productId?: string | null;

  @Field(name(2_000), { description: 'Goods or service that is charged.', example: 'Consulting' })
  description!: string;

  @Field(quantity(), {
    description: 'Quantity, with at most 4 decimals; 1 by default.',
    example: 2.5,
    optional: true,
  })
  quantity?: number;

  @Field(text({ max: 40 }), { description: 'Unit of the quantity.', example: 'hour', optional: true, nullable: true })
  unit?: string | null;

  @Field(unitPrice(), { description: 'Price of one unit, in minor units.', example: 12000 })
  unitPriceMinor!: number;

  @Field(percentage(), { description: 'Discount in percent, with at most 4 decimals; 0 by default.', optional: true })
  discountPercent?: number;

  @Field(id(), { description: 'Tax rate; in place of `taxPercent`.', optional: true, nullable: true })
  taxRateId?: string | null;

  @Field(percentage(), {
    description: 'Tax in percent, with at most 4 decimals; in place of `taxRateId`. No tax if neither is given.',
    optional: true,
    nullable: true,
  })
  taxPercent?: number | null;
}

/** A line as stored and shown. */
export class LineView {
  @Field(id(), { description: 'Id of the line.' })
  id!: string;

  @Field(integer({ min: 1, max: MAX_LINES }), { description: 'Position among the lines, from 1.', example: 1 })
  position!: number;

  @Field(id(), { description: 'Product.', nullable: true })
  productId!: string | null;

  @Field(name(2_000), { description: 'Goods or service that is charged.', example: 'Consulting' })
  description!: string;

  @Field(quantity(), { description: 'Quantity.', example: 2.5 })
  quantity!: number;

  @Field(text({ max: 40 }), { description: 'Unit of the quantity.', example: 'hour', nullable: true })
  unit!: string | null;

  @Field(unitPrice(), { description: 'Price of one unit, in minor units.', example: 12000 })
  unitPriceMinor!: number;

  @Field(percentage(), { description: 'Discount in percent.', example: 0 })
  discountPercent!: number;

  @Field(id(), { description: 'Tax rate.', nullable: true })
  taxRateId!: string | null;

  @Field(text({ max: 200 }), { description: 'Name of the tax rate.', example: 'VAT', nullable: true })
  taxName!: string | null;

  @Field(percentage(), { description: 'Tax in percent; null for a line without tax.', example: 20, nullable: true })
  taxPercent!: number | null;

  @Field(amount(), { description: 'Quantity times unit price, in minor units.', example: 30000 })
  grossMinor!: number;

  @Field(amount(), { description: 'Discount, in minor units.', example: 0 })
  discountMinor!: number;

  @Field(amount(), { description: 'After discount and without tax, in minor units.', example: 30000 })
  netMinor!: number;

  @Field(amount(), { description: 'Tax, in minor units.', example: 6000 })
  taxMinor!: number;

  @Field(amount(), { description: 'After discount and with tax, in minor units.', example: 36000 })
  totalMinor!: number;
}

/** Totals for one tax. */
export class TaxBreakdownView {
  @Field(id(), { description: 'Tax rate; null for a percentage given with the line.', nullable: true })
  taxRateId!: string | null;

  @Field(text({ max: 200 }), { description: 'Name of the tax rate.', example: 'VAT', nullable: true })
  name!: string | null;

  @Field(percentage(), { description: 'Tax in percent.', example: 20 })
  percent!: number;

  @Field(amount(), { description: 'Taxed amount without the tax, in minor units.', example: 30000 })
  baseMinor!: number;

  @Field(amount(), { description: 'Tax, in minor units.', example: 6000 })
  taxMinor!: number;
}
