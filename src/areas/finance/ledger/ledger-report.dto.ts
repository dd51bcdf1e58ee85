import { civilDate, Field, id, integer, listOf, nested, oneOf } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { PageQuery } from '#libs/resource/lists/page-query.js';
import { ONE_PAGE, PageInfo } from '#libs/resource/types/record.dto.js';
import { LEDGER_ACCOUNTS } from './ledger.js';

/** Sums over many records may exceed the range of exact numbers; they are then null. */
const sum = () => integer({ min: -MAX_MINOR, max: MAX_MINOR });

export class TrialBalanceQuery {
  @Field(civilDate(), { description: 'Up to the end of this day; today if not given.', optional: true })
  asOf!: string;
}

export class TrialBalanceRow {
  @Field(oneOf(LEDGER_ACCOUNTS), { description: 'Account of the ledger.', example: 'receivable' })
  accountCode!: string;

  @Field(currencyCode(), { description: 'ISO 4217 code.', example: 'USD' })
  currency!: string;

  @Field(sum(), { description: 'All debits, in minor units.', example: 36000, nullable: true })
  debitMinor!: number | null;

  @Field(sum(), { description: 'All credits, in minor units.', example: 0, nullable: true })
  creditMinor!: number | null;

  @Field(sum(), { description: 'Debits less credits, in minor units.', example: 36000, nullable: true })
  balanceMinor!: number | null;

  @Field(sum(), {
    description: 'The balance in the tenant’s currency, in minor units.',
    example: 36000,
    nullable: true,
  })
  baseBalanceMinor!: number | null;
}

export class TrialBalance {
  @Field(civilDate(), { description: 'The day that it is for.', example: '2026-11-21' })
  asOf!: string;

  @Field(currencyCode(), { description: 'The tenant’s currency.', example: 'USD' })
  baseCurrency!: string;

  @Field(listOf(nested(TrialBalanceRow), { max: 10_000 }), {
    description:
      'One row for each account and currency with entries. The balances of a currency add up to zero. A sum that no exact number of JSON can carry is null.',
  })
  data!: TrialBalanceRow[];

  @Field(nested(PageInfo), ONE_PAGE)
  page!: PageInfo;
}

export class AgingQuery extends PageQuery {
  @Field(civilDate(), { description: 'As of the end of this day; today if not given.', optional: true })
  asOf!: string;

  @Field(id(), { description: 'Only this customer.', optional: true })
  accountId!: string;

  @Field(currencyCode(), { description: 'Only this currency.', optional: true })
  currency!: string;
}

export class AgingRow {
  @Field(id(), { description: 'Customer; null for invoices without an account.', nullable: true })
  accountId!: string | null;

  @Field(currencyCode(), { description: 'ISO 4217 code.', example: 'USD' })
  currency!: string;

  @Field(sum(), { description: 'Not due yet, in minor units.', example: 36000, nullable: true })
  currentMinor!: number | null;

  @Field(sum(), { description: 'Overdue for 1 to 30 days, in minor units.', example: 0, nullable: true })
  days1To30Minor!: number | null;

  @Field(sum(), { description: 'Overdue for 31 to 60 days, in minor units.', example: 0, nullable: true })
  days31To60Minor!: number | null;

  @Field(sum(), { description: 'Overdue for 61 to 90 days, in minor units.', example: 0, nullable: true })
  days61To90Minor!: number | null;

  @Field(sum(), { description: 'Overdue for more than 90 days, in minor units.', example: 0, nullable: true })
  daysOver90Minor!: number | null;

  @Field(sum(), { description: 'All of it, in minor units.', example: 36000, nullable: true })
  totalMinor!: number | null;
}

export class Aging {
  @Field(civilDate(), { description: 'The day that it is for.', example: '2026-11-21' })
  asOf!: string;

  @Field(listOf(nested(AgingRow), { max: 200 }), {
    description: 'One row for each customer and currency. A sum that no exact number of JSON can carry is null.',
  })
  data!: AgingRow[];

  @Field(nested(PageInfo), { description: 'Paging information.' })
  page!: PageInfo;
}
