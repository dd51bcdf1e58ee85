import { Field, fieldsOf, id, integer, text } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { model } from '#libs/resource/types/record.dto.js';

const line = (max: number, what: string, example?: string) =>
  [text({ max }), { description: what, optional: true, nullable: true, ...(example ? { example } : {}) }] as const;

/** A postal address. */
export class AccountAddress {
  @Field(...line(200, 'Street and number.', '1 Main Street'))
  line1!: string | null;

  @Field(...line(200, 'Floor, suite, care of.'))
  line2!: string | null;

  @Field(...line(100, 'City.', 'Springfield'))
  city!: string | null;

  @Field(...line(100, 'State, province or county.', 'IL'))
  region!: string | null;

  @Field(...line(20, 'Postal code.', '62701'))
  postalCode!: string | null;

  @Field(text({ min: 2, max: 2, pattern: /^[A-Z]{2}$/, form: 'an ISO 3166-1 alpha-2 code in capitals, such as DE' }), {
    description: 'ISO 3166-1 alpha-2 code of the country.',
    example: 'US',
    optional: true,
    nullable: true,
  })
  country!: string | null;
}

/** An address as responses show it, with all parts present. */
export const AccountAddressView = model(
  'AccountAddressView',
  Object.fromEntries([...fieldsOf(AccountAddress)].map(([field, spec]) => [field, { ...spec, optional: false }])),
);

const NOWHERE: AccountAddress = { line1: null, line2: null, city: null, region: null, postalCode: null, country: null };

/** The address after a merge patch; null clears it. */
export function patchedAddress(
  before: AccountAddress | null,
  patch: Partial<AccountAddress> | null,
): AccountAddress | null {
  return patch === null ? null : { ...NOWHERE, ...before, ...patch };
}

/** Total of the open deals in one currency. */
export class OpenDeals {
  @Field(currencyCode(), { description: 'ISO 4217 code.', example: 'USD' })
  currency!: string;

  @Field(integer({ min: 0, max: MAX_MINOR }), {
    description: 'Sum in minor units; null beyond the range of exact numbers.',
    example: 2500000,
    nullable: true,
  })
  valueMinor!: number | null;
}

/** Sum of amounts in one currency. */
export class AccountSum {
  @Field(currencyCode(), { description: 'ISO 4217 code.', example: 'USD' })
  currency!: string;

  @Field(integer({ min: -MAX_MINOR, max: MAX_MINOR }), {
    description: 'Sum in minor units; null beyond the range of exact numbers.',
    example: 36000,
    nullable: true,
  })
  valueMinor!: number | null;
}

const reason = text({ min: 1, max: 500 });

export class LoseAccount {
  @Field(reason, {
    description: 'Reason, kept in the audit log.',
    example: 'Moved to a competitor',
    optional: true,
  })
  reason!: string;
}

export class BlockAccount {
  @Field(reason, { description: 'Reason, kept in the audit log.', example: 'Invoices are disputed' })
  reason!: string;
}

export class MergeAccount {
  @Field(id(), { description: 'Account that stays.' })
  intoId!: string;
}
