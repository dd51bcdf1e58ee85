import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { exactSum } from '#libs/database/exact-sum.js';
import { statement } from '#libs/database/statement.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { LedgerEntry } from './ledger-entry.entity.js';
import type { AgingRow, TrialBalanceRow } from './ledger-report.dto.js';

const BALANCES = `
  select account_code as "accountCode", currency, ${exactSum('sum(debit_minor)')} as "debitMinor",
    ${exactSum('sum(credit_minor)')} as "creditMinor",
    ${exactSum('(sum(debit_minor) - sum(credit_minor))')} as "balanceMinor",
    ${exactSum('sum(base_minor)')} as "baseBalanceMinor"
  from data.finance_ledger_entries where tenant_id = $1 and entry_date <= $2
  group by account_code, currency order by account_code, currency`;
const openFor = (days: string) => exactSum(`coalesce(sum(amount) filter (where ${days}), 0)`);
// The outstanding amount of an invoice on a day is the sum of its receivable until then. Entries without an account
// sort first.
const AGING = `
  with open as (
    select invoice_id, currency, sum(debit_minor) - sum(credit_minor) as amount
    from data.finance_ledger_entries
    where tenant_id = $1 and account_code = 'receivable' and entry_date <= $2 and ($4::text is null or currency = $4)
    group by invoice_id, currency having sum(debit_minor) <> sum(credit_minor)),
  late as (
    select coalesce(i.account_id::text, '') as account, o.currency, o.amount,
      $2::date - coalesce(i.due_date, $2::date) as days
    from open o join data.finance_invoices i on i.tenant_id = $1 and i.id = o.invoice_id
    where $3::uuid is null or i.account_id = $3)
  select nullif(account, '') as "accountId", currency, ${exactSum('sum(amount)')} as "totalMinor",
    ${openFor('days <= 0')} as "currentMinor", ${openFor('days between 1 and 30')} as "days1To30Minor",
    ${openFor('days between 31 and 60')} as "days31To60Minor", ${openFor('days between 61 and 90')} as "days61To90Minor",
    ${openFor('days > 90')} as "daysOver90Minor"
  from late where (account, currency) > ($5, $6) group by account, currency order by account, currency limit $7`;

@Injectable()
export class LedgerRepository extends ResourceRepository<LedgerEntry> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, LedgerEntry);
  }

  /** The balance of each account and currency up to a day. */
  balances(asOf: string): Promise<TrialBalanceRow[]> {
    return this.database.read(statement(BALANCES, [currentTenant().id, asOf]));
  }

  /** The receivables of customers on a day, for customers and currencies after a cursor position. */
  aging(
    asOf: string,
    only: { accountId: string | null; currency: string | null },
    after: { account: string; currency: string },
    limit: number,
  ): Promise<AgingRow[]> {
    const { accountId, currency } = only;
    return this.database.read(
      statement(AGING, [currentTenant().id, asOf, accountId, currency, after.account, after.currency, limit]),
    );
  }
}
