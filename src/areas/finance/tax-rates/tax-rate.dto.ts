import { Field, name, oneOf, text } from '#libs/http/field.js';
import { percentage } from '#libs/lines/decimal.js';
import { mergePatchOf, RecordInput, RecordView } from '#libs/resource/record.dto.js';

export const TAX_KINDS = ['standard', 'reduced', 'zero', 'exempt', 'reverse_charge'] as const;
export const TAX_RATE_STATES = ['active', 'archived'] as const;

const country = () =>
  text({ min: 2, max: 2, pattern: /^[A-Z]{2}$/, form: 'an ISO 3166-1 alpha-2 code in capitals, such as DE' });

export class CreateTaxRate extends RecordInput {
  @Field(name(), { description: 'What documents call it.', example: 'VAT' })
  declare name: string;

  @Field(percentage(), {
    description: 'Tax in percent, with at most 4 decimals. Fixed once a document uses the rate.',
    example: 20,
  })
  percent!: number;

  @Field(country(), {
    description: 'ISO 3166-1 code of the country.',
    example: 'GB',
    optional: true,
    nullable: true,
  })
  country!: string | null;

  @Field(text({ max: 100 }), { description: 'Part of the country.', optional: true, nullable: true })
  region!: string | null;

  @Field(text({ max: 40 }), {
    description: 'Code of the authority or of the bookkeeping.',
    example: 'S20',
    optional: true,
    nullable: true,
  })
  code!: string | null;

  @Field(oneOf(TAX_KINDS), { description: 'What kind of rate it is; standard if not given.', optional: true })
  kind!: (typeof TAX_KINDS)[number];
}

export const UpdateTaxRate = mergePatchOf('UpdateTaxRate', CreateTaxRate);

export class TaxRateView extends RecordView {
  @Field(oneOf(TAX_RATE_STATES), { description: 'An archived rate is for no new document.', example: 'active' })
  status!: (typeof TAX_RATE_STATES)[number];

  @Field(percentage(), { description: 'Tax in percent.', example: 20 })
  percent!: number;

  @Field(country(), { description: 'ISO 3166-1 code of the country.', example: 'GB', nullable: true })
  country!: string | null;

  @Field(text({ max: 100 }), { description: 'Part of the country.', nullable: true })
  region!: string | null;

  @Field(text({ max: 40 }), { description: 'Code of the authority or of the bookkeeping.', nullable: true })
  code!: string | null;

  @Field(oneOf(TAX_KINDS), { description: 'What kind of rate it is.', example: 'standard' })
  kind!: string;
}
