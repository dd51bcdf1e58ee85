import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import { addDays, derivedDate, startOfDayMs } from '#libs/kernel/civil-time.js';
import { Clock } from '#libs/kernel/clock.js';
import { Problem } from '#libs/kernel/problem.js';
import { GaplessSeries } from '#libs/resource/records/gapless-series.js';
import { DOCUMENT_SERIES } from '#libs/settings/number-series.model.js';
import { type EffectiveSettings, TenantSettings } from '#libs/settings/tenant-settings.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { AccountsService } from '#src/areas/sales/accounts/accounts.service.js';
import { BusinessDay } from '../business-day.js';
import { EInvoices } from '../e-invoices/e-invoices.js';
import type { EInvoiceView } from '../e-invoices/e-invoice.js';
import { converted } from '../ledger/exchange.js';
import { CreditLimits } from './credit-limits.js';
import { contentHashOf } from './invoice-document.js';
import { completeCustomer } from './invoice-lines.js';
import { exchangeOf } from './invoice-figures.js';
import type { InvoiceCustomer, InvoiceSeller } from './invoice.parts.js';
import type { Invoice, ShownInvoice } from './invoice.js';

type Account = Awaited<ReturnType<AccountsService['records']['readPlainly']>>;

const WITHOUT_EXCHANGE = { exchangeRate: null, baseCurrency: null, baseTotalMinor: null };

/** Issues drafts. */
@Injectable()
export class InvoiceIssuing {
  constructor(
    private readonly settings: TenantSettings,
    private readonly accounts: AccountsService,
    private readonly series: GaplessSeries,
    private readonly day: BusinessDay,
    private readonly clock: Clock,
    private readonly limits: CreditLimits,
    private readonly eInvoices: EInvoices,
  ) {}

  /**
   * The issued form of a draft. The number is assigned last, because it blocks other issues until the commit.
   * @throws Problem 400 for a date on which nothing can be posted; 409, with a separate code for each reason.
   */
  async issue(transaction: Transaction, row: Invoice, issueDate: string | undefined): Promise<Invoice> {
    const settings = await this.settings.get();
    const account = row.accountId === null ? null : await this.accounts.records.readPlainly(row.accountId);
    if (account) await this.accounts.refuseBlocked(account.id);
    const customer = row.customer ?? customerOf(account);
    refuseIncomplete(row, customer);
    const seller = sellerOf(settings);
    const eInvoiceData = await this.eInvoices.issued({ ...row, customer, seller });
    const day = issueDate ?? row.issueDate ?? (await this.day.today());
    await this.day.requirePostable(day, '/issueDate');
    const dates = this.dates(row, account, settings, day);
    const series = { series: DOCUMENT_SERIES.invoice, ...settings.finance.series.invoice };
    const { number, lastDate } = await this.series.take(transaction, series, dates.issueDate);
    if (settings.finance.strictChronology && lastDate !== null && dates.issueDate < lastDate)
      throw new Problem('issue_date_out_of_order', `An invoice of ${lastDate} has been issued already.`);
    const isPaid = row.totalMinor === 0;
    const issued: Invoice = {
      ...row,
      ...inBase(row),
      ...dates,
      number,
      customer,
      warnings: await this.limits.warnings(row), // after the number, which lets issues wait for each other
      ...{ seller, eInvoiceData },
      status: isPaid ? 'paid' : 'issued',
      paidAt: isPaid ? this.clock.now().toISOString() : null,
    };
    return { ...issued, contentHash: contentHashOf({ ...issued, exchange: exchangeOf(issued) }) };
  }

  /** The electronic form that a draft would be issued in; null for none. */
  async expected({ accountId, ...draft }: ShownInvoice): Promise<EInvoiceView | null> {
    const account = accountId === null ? null : await this.accounts.records.readPlainly(accountId);
    const seller = sellerOf(await this.settings.get());
    return this.eInvoices.expected({ ...draft, customer: draft.customer ?? customerOf(account), seller });
  }

  private dates(row: Invoice, account: Account | null, settings: EffectiveSettings, issueDate: string) {
    const { timezone } = settings.general;
    const paymentTermsDays = row.paymentTermsDays ?? account?.paymentTermsDays ?? settings.finance.paymentTermsDays;
    const dueDate = row.dueDate ?? derivedDate(addDays(issueDate, paymentTermsDays), '/issueDate');
    if (dueDate < issueDate)
      throw new Problem('due_date_before_issue', `The due date ${dueDate} is before the issue date ${issueDate}.`);
    const overdueAt = new Date(startOfDayMs(addDays(dueDate, 1), timezone)).toISOString();
    return { issueDate, paymentTermsDays, dueDate, overdueAt };
  }
}

function refuseIncomplete(row: Invoice, customer: InvoiceCustomer | null): void {
  const refuse = (code: ConstructorParameters<typeof Problem>[0], detail: string) => {
    throw new Problem(code, detail);
  };
  if (!customer) refuse('customer_missing', 'Name an account or a customer.');
  if (row.lineItems.length === 0) refuse('lines_missing', 'Add at least one line.');
  if (row.totalMinor < 0) refuse('total_negative', 'What is given back needs a credit note.');
  if (row.currency !== currentTenant().currency && row.exchangeRate === null)
    refuse('exchange_rate_missing', `Set exchange.rate: the currency is not ${currentTenant().currency}.`);
}

/** The total in the tenant's currency, which may have changed since the draft was written. */
function inBase(row: Invoice): Partial<Invoice> {
  const base = currentTenant().currency;
  if (row.currency === base) return { ...WITHOUT_EXCHANGE, baseCurrency: base, baseTotalMinor: row.totalMinor };
  return { baseCurrency: base, baseTotalMinor: converted(row.totalMinor, row.currency, row.exchangeRate!, base) };
}

function customerOf(account: Account | null): InvoiceCustomer | null {
  if (!account) return null;
  const { name, billingEmail: email, taxId, billingAddress: address } = account;
  return completeCustomer({ name, email, taxId, address });
}

function sellerOf({ general, finance }: EffectiveSettings): InvoiceSeller {
  const { legalName, address, taxId, bank } = finance.legalEntity;
  return { legalName: legalName ?? general.legalName, address, taxId, bank };
}
