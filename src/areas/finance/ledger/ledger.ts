import { Injectable } from '@nestjs/common';
import { holdCurrency } from '#libs/database/hold-currency.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import { currentTenant } from '#libs/tenancy/scope.js';

/** Ledger accounts. `customer_credit` is owed to customers: payments and credits not yet applied to an invoice. */
export const LEDGER_ACCOUNTS = [
  'bad_debt',
  'cash',
  'customer_credit',
  'exchange_difference',
  'payable',
  'receivable',
  'revenue',
  'tax',
] as const;
export type LedgerAccount = (typeof LEDGER_ACCOUNTS)[number];

/** One side of a journal. Amounts are in minor units, debit positive, credit negative. */
export interface JournalLine {
  account: LedgerAccount;
  /** In the currency of the journal. */
  amountMinor: number;
  /** In the currency of the tenant. */
  baseMinor: number;
  /** Customer or vendor. */
  accountId?: string | null;
  /** The invoice whose receivable this is. */
  invoiceId?: string | null;
}

/**
 * The most that an invoice or a payment posts to one account, in minor units: a million million of most currencies. So
 * the sums of at least 90 of them are exact in JSON, and a slip in one does not take the trial balance from everybody.
 */
export const MAX_POSTED_MINOR = 100_000_000_000_000;

/** The postings of one business transaction. */
export interface Journal {
  /** `YYYY-MM-DD`. */
  entryDate: string;
  currency: string;
  /** The record that caused the journal. */
  source: { object: string; id: string };
  lines: readonly JournalLine[];
}

const INSERT = `
  insert into data.finance_ledger_entries (tenant_id, id, journal_id, entry_date, account_code, debit_minor, credit_minor,
    currency, base_minor, account_id, invoice_id, source_object, source_id, created_at)
  select $1, l.id, $2, $3, l.account, greatest(l.amount, 0), greatest(-l.amount, 0), $4, l.base, l.account_id,
    l.invoice_id, $5, $6, now()
  from unnest($7::uuid[], $8::text[], $9::bigint[], $10::bigint[], $11::uuid[], $12::uuid[])
    as l (id, account, amount, base, account_id, invoice_id)`;

/**
 * Writes the ledger. A journal is one statement, and PostgreSQL rejects it unless it balances in its own currency and
 * in that of the tenant; entries are immutable.
 */
@Injectable()
export class Ledger {
  /** Adds a journal to a transaction. Lines without an amount are omitted; a journal without lines is not written. */
  post(transaction: Pick<Transaction, 'write'>, { entryDate, currency, source, lines }: Journal): void {
    const entries = lines.filter(({ amountMinor, baseMinor }) => amountMinor !== 0 || baseMinor !== 0);
    if (entries.length === 0) return;
    transaction.write(holdCurrency());
    transaction.write(
      statement(INSERT, [
        currentTenant().id,
        uuidv7(),
        entryDate,
        currency,
        source.object,
        source.id,
        entries.map(() => uuidv7()),
        entries.map(({ account }) => account),
        entries.map(({ amountMinor }) => amountMinor),
        entries.map(({ baseMinor }) => baseMinor),
        entries.map(({ accountId }) => accountId ?? null),
        entries.map(({ invoiceId }) => invoiceId ?? null),
      ]),
    );
  }
}

/** @throws Problem 409 `amount_too_large` if a line is beyond {@link MAX_POSTED_MINOR} in one of its currencies. */
export function refuseTooLarge(lines: readonly JournalLine[]): void {
  if (
    lines.some(({ amountMinor, baseMinor }) => Math.max(...[amountMinor, baseMinor].map(Math.abs)) > MAX_POSTED_MINOR)
  )
    throw new Problem(
      'amount_too_large',
      `At most ${MAX_POSTED_MINOR} minor units are posted at once; check the amounts.`,
    );
}

/** The lines of the reversing journal. */
export function negated(lines: readonly JournalLine[]): JournalLine[] {
  return lines.map((line) => ({ ...line, amountMinor: -line.amountMinor, baseMinor: -line.baseMinor }));
}

/**
 * Adds a line that balances the journal in the tenant's currency after rate differences and rounding.
 * @throws Problem 409 `amount_too_large` if it exceeds the range of exact numbers.
 */
export function balancedInBase(lines: readonly JournalLine[]): JournalLine[] {
  const missing = Number(lines.reduce((sum, { baseMinor }) => sum - BigInt(baseMinor), 0n));
  if (!Number.isSafeInteger(missing)) throw new Problem('amount_too_large', 'The exchange difference is too large.');
  return [...lines, { account: 'exchange_difference', amountMinor: 0, baseMinor: missing }];
}
