import { Column } from 'typeorm';
import { oneOf, text } from '#libs/http/field.js';
import { stateless } from '#libs/kernel/lifecycle.js';
import { percentage } from '#libs/lines/decimal.js';
import { Attribute, Derived, Mapped } from '#libs/resource/types/attribute.js';
import { filter } from '#libs/resource/lists/list-query.js';
import { RecordRow } from '#libs/resource/types/record.entity.js';
import { recordType, type Shown } from '#libs/resource/types/record-type.js';

const KINDS = ['standard', 'reduced', 'zero', 'exempt', 'reverse_charge'] as const;
const STATES = ['active', 'archived'] as const;
const STATUS_SQL = `case when t.archived_at is null then 'active' else 'archived' end`;
const country = text({
  min: 2,
  max: 2,
  pattern: /^[A-Z]{2}$/,
  form: 'an ISO 3166-1 alpha-2 code in capitals, such as DE',
});

/** A tax that document lines can reference. */
export class TaxRate extends RecordRow {
  @Derived(oneOf(STATES), 'State of the rate. New documents cannot use an archived one.', {
    example: 'active',
    filter: filter.plain(oneOf(STATES), 'eq', STATUS_SQL),
  })
  status?: (typeof STATES)[number];

  /** Ten-thousandths of a percent. */
  @Mapped(percentage(), 'Tax in percent, with at most 4 decimals. Fixed once a document uses the rate.', {
    example: 20,
  })
  @Column('integer')
  percent!: number;

  @Attribute(country, 'ISO 3166-1 alpha-2 code of the country.', {
    example: 'GB',
    nullable: true,
    filter: filter.exact(text({ max: 2 }), true),
  })
  country!: string | null;

  @Attribute(text({ max: 100 }), 'State, province or other part of the country.', { nullable: true })
  region!: string | null;

  @Attribute(text({ max: 40 }), 'Code of the rate in tax returns or in bookkeeping.', {
    example: 'S20',
    nullable: true,
    filter: true,
  })
  code!: string | null;

  @Attribute(oneOf(KINDS), 'Kind of rate; `standard` by default.', { default: 'standard', filter: true })
  kind!: (typeof KINDS)[number];

  /** The instant at which a document first used the rate. */
  @Column('timestamptz', { name: 'used_at', nullable: true })
  usedAt!: string | null;
}

export type ShownTaxRate = Shown<TaxRate>;
export type TaxRateAction = 'archive';

/** A rate is archived permanently: documents still reference it, so it is never deleted. */
export const taxRates = recordType<TaxRate, TaxRateAction>(TaxRate, {
  area: 'finance',
  collection: 'tax-rates',
  noun: 'tax rate',
  prefix: 'TAX',
  permissions: { read: 'tax-rates:read', write: 'tax-rates:manage' },
  trashPermission: 'tax-rates:manage',
  name: { example: 'VAT', about: 'Name of the tax on documents.' },
  stateField: null,
  bodies: { update: { name: 'VAT 20 %' } },
  lifecycle: stateless({
    archive: {
      from: ['active'],
      to: null,
      permission: 'tax-rates:manage',
      event: 'archived',
      summary: 'Archive a tax rate',
      happened: 'A tax rate was archived: no new document can use it.',
      risk: 'medium',
    },
  }),
});
