import { civilDate, Field, flag, id, instant, integer, nested, oneOf, text } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { filter, listQuery, type ListOptions } from '#libs/resource/lists/list-query.js';
import { pageOf } from '#libs/resource/types/record.dto.js';
import { LEDGER_ACCOUNTS } from './ledger.js';

const amount = () => integer({ min: 0, max: MAX_MINOR });

export class LedgerSource {
  @Field(text({ max: 60 }), {
    description: 'Type of the record that the journal tells of.',
    example: 'finance.invoice',
  })
  object!: string;

  @Field(id(), { description: 'Its id.' })
  id!: string;
}

export class LedgerEntryView {
  @Field(id(), { description: 'Id of the entry.' })
  id!: string;

  @Field(id(), { description: 'Journal; its entries add up to zero.' })
  journalId!: string;

  @Field(civilDate(), { description: 'Day that it counts for.', example: '2026-11-21' })
  entryDate!: string;

  @Field(oneOf(LEDGER_ACCOUNTS), { description: 'Account of the ledger.', example: 'receivable' })
  accountCode!: string;

  @Field(amount(), { description: 'Debit in minor units; 0 for a credit.', example: 36000 })
  debitMinor!: number;

  @Field(amount(), { description: 'Credit in minor units; 0 for a debit.', example: 0 })
  creditMinor!: number;

  @Field(currencyCode(), { description: 'ISO 4217 code.', example: 'USD' })
  currency!: string;

  @Field(integer({ min: -MAX_MINOR, max: MAX_MINOR }), {
    description: 'The amount in the tenant’s currency, in minor units: a debit is positive, a credit negative.',
    example: 36000,
  })
  baseMinor!: number;

  @Field(id(), { description: 'Customer or vendor.', nullable: true })
  accountId!: string | null;

  @Field(id(), { description: 'Invoice whose receivable changes.', nullable: true })
  invoiceId!: string | null;

  @Field(nested(LedgerSource), { description: 'The record that the journal tells of.' })
  source!: LedgerSource;

  @Field(instant(), { description: 'Time of writing.' })
  createdAt!: string;

  @Field(flag(), { description: 'Whether it belongs to sample data.', example: false })
  sample!: boolean;
}

export const ledgerEntryList: ListOptions = {
  filters: {
    journalId: filter.exact(id()),
    accountCode: filter.exact(oneOf(LEDGER_ACCOUNTS)),
    entryDate: filter.ordered(civilDate()),
    currency: filter.exact(currencyCode()),
    accountId: filter.exact(id(), true),
    invoiceId: filter.exact(id(), true),
    source: filter.plain(id(), 'eq', 't.source_id'),
    sourceObject: filter.exact(text({ max: 60 })),
    createdAt: filter.ordered(instant()),
  },
  sorts: ['entryDate', 'createdAt'],
  defaultSort: '-entryDate',
};

export const LedgerEntryQuery = listQuery('LedgerEntryQuery', ledgerEntryList);
export const LedgerEntryPage = pageOf(LedgerEntryView);
