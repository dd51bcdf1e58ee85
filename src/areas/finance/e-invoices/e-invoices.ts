import { Injectable } from '@nestjs/common';
import { Problem } from '#libs/kernel/problem.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { TaxRatesService } from '../tax-rates/tax-rates.service.js';
import type { EInvoiceData, EInvoiceView, Invoiced, TaxCategory } from './e-invoice.js';
import { categoryOf, missingFields } from './requirements.js';

/** Decides whether documents are electronic invoices, and what has to be known for it. */
@Injectable()
export class EInvoices {
  constructor(
    private readonly settings: TenantSettings,
    private readonly taxRates: TaxRatesService,
  ) {}

  /**
   * What is fixed at issue; null if the tenant issues no electronic invoices.
   * @throws Problem 409 `e_invoice_incomplete` with `missingFields`.
   */
  async issued(document: Invoiced): Promise<EInvoiceData | null> {
    const { eInvoice } = (await this.settings.get()).finance;
    const { format, address, contact, iban, bic } = eInvoice;
    if (format === 'none') return null;
    const categories = await this.categoriesOf(document);
    const missing = missingFields(format, document, eInvoice, categories);
    if (missing.length > 0)
      throw new Problem('e_invoice_incomplete', `Fill in ${missing.join(', ')}, or set the format to none.`, {
        extensions: { missingFields: missing },
      });
    return { format, address, contact, iban, bic, categories };
  }

  /** How a draft would be issued; null if the tenant issues no electronic invoices. */
  async expected(draft: Invoiced): Promise<EInvoiceView | null> {
    const { eInvoice } = (await this.settings.get()).finance;
    if (eInvoice.format === 'none') return null;
    const categories = await this.categoriesOf(draft);
    return { format: eInvoice.format, missingFields: missingFields(eInvoice.format, draft, eInvoice, categories) };
  }

  private async categoriesOf({ lineItems }: Invoiced): Promise<TaxCategory[]> {
    const kinds = await this.taxRates.kindsOf(lineItems.flatMap(({ taxRateId }) => taxRateId ?? []));
    return lineItems.map((line) => categoryOf(line, kinds));
  }
}

/** How an issued document shows its electronic form. */
export function viewOf(data: EInvoiceData | null): EInvoiceView | null {
  return data && { format: data.format, missingFields: [] };
}
