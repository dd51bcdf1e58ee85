import { Field, listOf, oneOf, text } from '#libs/http/field.js';
import { E_INVOICE_FORMATS, type EInvoiceFormat, type EInvoiceSettings } from '#libs/settings/e-invoice.model.js';
import type { InvoiceCustomer, InvoiceLine, InvoiceSeller } from '../invoices/invoice.parts.js';

/** Codes of UNTDID 5305: standard rate, zero rate, exempt, reverse charge. */
export type TaxCategory = 'S' | 'Z' | 'E' | 'AE';

/** What an electronic invoice says beyond its document, fixed at issue. */
export interface EInvoiceData extends Pick<EInvoiceSettings, 'address' | 'contact' | 'iban' | 'bic'> {
  format: EInvoiceFormat;
  /** The tax category of each line. */
  categories: TaxCategory[];
}

/** What is asked of a document before it can be an electronic invoice. */
export interface Invoiced {
  currency: string;
  customer: InvoiceCustomer | null;
  seller: InvoiceSeller;
  purchaseRef: string | null;
  lineItems: readonly Pick<InvoiceLine, 'taxRateId' | 'taxPercent'>[];
}

/** The electronic form of a document. */
export class EInvoiceView {
  @Field(oneOf(E_INVOICE_FORMATS), {
    description: '`factur_x` is EN 16931 (Factur-X, ZUGFeRD), `xrechnung` is XRechnung 3.0.',
    example: 'xrechnung',
  })
  format!: EInvoiceFormat;

  @Field(listOf(text({ max: 100 }), { max: 2_000 }), {
    description:
      'What has to be filled in before the issue: fields of the document and, after `settings.`, of the tenant’s settings. Empty once it is issued.',
    example: ['settings.finance.eInvoice.iban', 'customer.address.country', 'lineItems.0.taxPercent'],
  })
  missingFields!: string[];
}
