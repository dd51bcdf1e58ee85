import { Injectable } from '@nestjs/common';
import { Problem } from '#libs/kernel/problem.js';
import { documentLines, type NamedRate, ratesOf, taxRateIdsOf } from '#libs/lines/document-lines.js';
import type { Draft } from '#libs/resource/types/record.entity.js';
import { MAX_PAYMENT_TERMS_DAYS } from '#libs/settings/settings.model.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { AccountsService } from '#src/areas/sales/accounts/accounts.service.js';
import { converted } from '../ledger/exchange.js';
import { TaxRatesService } from '../tax-rates/tax-rates.service.js';
import { completeCustomer, invalid, invoiceLineInputOf, linesOf, refuseSources } from './invoice-lines.js';
import type { InvoiceLine, InvoiceLineInput } from './invoice.parts.js';
import { InvoiceSources } from './invoice-sources.js';
import type { Invoice, InvoiceInput } from './invoice.js';

/** Fields that affect the amounts. */
const PRICED_FIELDS = ['currency', 'taxInclusive', 'exchange', 'lineItems'] as const;
/** Fields that a copy of an invoice inherits. */
const COPIED_FIELDS = [
  'name',
  'accountId',
  'customer',
  'currency',
  'taxInclusive',
  'notes',
  'terms',
  'language',
  'dealId',
  'projectId',
  'tags',
] as const;

/** Input for the amounts of a draft. */
interface Basis {
  currency: string;
  taxInclusive: boolean;
  exchangeRate: string | null;
  lineItems: readonly InvoiceLineInput[];
}

/** Writes drafts of invoices and calculates their amounts. */
@Injectable()
export class InvoiceDrafts {
  constructor(
    private readonly settings: TenantSettings,
    private readonly taxRates: TaxRatesService,
    private readonly accounts: AccountsService,
    private readonly sources: InvoiceSources,
  ) {}

  /** A new draft from a validated create body. @throws Problem 400. */
  async draft(input: InvoiceInput): Promise<Draft<Invoice>> {
    const { amount: _, lineItems: __, customer, exchange, dunning, ...fields } = input;
    const currency = input.currency ?? (await this.currencyOf(input.accountId));
    refuseMixedDates(input.issueDate ?? null, input.dueDate ?? null);
    const amounts = await this.amounts({
      currency,
      taxInclusive: input.taxInclusive ?? false,
      exchangeRate: exchange?.rate ?? null,
      lineItems: linesOf(input, currency),
    });
    const dunningPaused = dunning?.paused ?? false;
    const draft: Partial<Invoice> = {
      ...fields,
      ...amounts,
      customer: completeCustomer(customer),
      dunningPaused,
      dunningLevel: 0,
    };
    return draft as Draft<Invoice>; // its other columns have defaults
  }

  /** The changes of a draft from a validated patch. @throws Problem 400, 409 `record_locked` for a fixed currency. */
  async edit(row: Invoice, patch: Omit<InvoiceInput, 'amount'>): Promise<Partial<Invoice>> {
    const { customer, dunning, exchange, lineItems: lines, currency = row.currency, ...fields } = patch;
    const changes: Partial<Invoice> = { ...fields };
    const { issueDate, dueDate, taxInclusive } = { ...row, ...changes };
    refuseMixedDates(issueDate, dueDate);
    if (customer !== undefined) changes.customer = completeCustomer(customer, row.customer);
    if (dunning) changes.dunningPaused = dunning.paused;
    if (!PRICED_FIELDS.some((field) => field in patch)) return changes;
    const lineItems = lines ?? row.lineItems.map(invoiceLineInputOf);
    if (currency !== row.currency && row.lineItems.length > 0 && lineItems.length > 0)
      throw new Problem('record_locked', 'The currency is fixed once there is a line.');
    const exchangeRate = exchange === undefined ? row.exchangeRate : (exchange?.rate ?? null);
    const kept = lines ? new Map() : ratesOf(row.lineItems);
    const basis = { currency, taxInclusive, exchangeRate, lineItems };
    return { ...changes, ...(await this.amounts(basis, row.lineItems, kept)) };
  }

  /** The create body of a copy: the same customer and lines, without the records that the lines charge for. */
  async copyOf(row: Invoice): Promise<InvoiceInput> {
    const usable = await this.taxRates.choose(taxRateIdsOf(row.lineItems));
    const lineItems = row.lineItems.map(({ id: _, source: __, ...line }) => {
      const { description, quantity, unit, unitPriceMinor, discountPercent, productId } = line;
      const { taxRateId, taxPercent } = line;
      const tax = taxRateId !== null && usable.has(taxRateId) ? { taxRateId } : { taxPercent };
      return { description, quantity, unit, unitPriceMinor, discountPercent, productId, ...tax };
    });
    const exchange = row.exchangeRate === null ? null : { rate: row.exchangeRate };
    const { paymentTermsDays: terms } = row;
    const paymentTermsDays = terms === null ? null : Math.min(terms, MAX_PAYMENT_TERMS_DAYS);
    const copied = Object.fromEntries(COPIED_FIELDS.map((field) => [field, row[field]]));
    return { ...copied, paymentTermsDays, lineItems, exchange };
  }

  /**
   * Lines with amounts, the sums, and the total in the tenant's currency. `present` are the current lines, `kept` their
   * rates, which may be archived.
   */
  private async amounts(
    { currency, taxInclusive, exchangeRate, lineItems: input }: Basis,
    present: readonly InvoiceLine[] = [],
    kept: ReadonlyMap<string, NamedRate> = new Map(),
  ): Promise<Partial<Invoice>> {
    refuseSources(input, (object) => this.sources.isType(object));
    const { taxRounding } = (await this.settings.get()).finance;
    const rates = new Map([...(await this.taxRates.choose(taxRateIdsOf(input))), ...kept]);
    const { lineItems, header, taxBreakdown } = documentLines(input, { taxInclusive, taxRounding, rates, present });
    const base = currentTenant().currency;
    return {
      currency,
      taxInclusive,
      lineItems: lineItems.map((line, index) => {
        const { source = null, periodStartDate = null, periodEndDate = null } = input[index]!;
        return { ...line, source, periodStartDate, periodEndDate };
      }),
      ...header,
      balanceMinor: header.totalMinor,
      taxBreakdown,
      exchangeRate,
      baseCurrency: exchangeRate === null ? null : base,
      baseTotalMinor:
        exchangeRate === null ? null : converted(header.totalMinor, currency, exchangeRate, base, '/exchange/rate'),
    };
  }

  private async currencyOf(accountId: string | null | undefined): Promise<string> {
    const base = currentTenant().currency;
    if (accountId == null) return base;
    try {
      return (await this.accounts.records.read(accountId)).currency ?? base;
    } catch (error) {
      if (error instanceof Problem && error.code === 'not_found')
        throw invalid('/accountId', 'unknown_reference', 'There is no such record.');
      throw error;
    }
  }
}

function refuseMixedDates(issueDate: string | null, dueDate: string | null): void {
  if (issueDate !== null && dueDate !== null && dueDate < issueDate)
    throw invalid('/dueDate', 'out_of_range', 'The invoice would be due before its date.');
}
