import type { Invoice as UblInvoice } from '@e-invoice-eu/core';
import { cut } from '#libs/kernel/cut.js';
import { decimalText, exponentOf } from '#libs/kernel/money.js';
import { oneLine } from '#libs/mail/mail-text.js';
import type { EInvoiceFormat } from '#libs/settings/e-invoice.model.js';
import type { InvoiceCustomer, InvoiceLine, InvoiceSeller, PostalAddress } from '../invoices/invoice.parts.js';
import type { EInvoiceData, TaxCategory } from './e-invoice.js';
import { unitCodeOf } from './unit-codes.js';

/** An issued document. */
export interface EInvoiced {
  number: string;
  issueDate: string;
  /** Null for a credit note. */
  dueDate: string | null;
  currency: string;
  customer: InvoiceCustomer;
  seller: InvoiceSeller;
  lineItems: readonly (Pick<
    InvoiceLine,
    'description' | 'quantity' | 'unit' | 'unitPriceMinor' | 'discountMinor' | 'netMinor' | 'taxName' | 'taxPercent'
  > &
    Partial<Pick<InvoiceLine, 'periodStartDate' | 'periodEndDate'>>)[];
  taxInclusive: boolean;
  taxMinor: number;
  totalMinor: number;
  /** Amounts of each tax over all lines. */
  taxBreakdown: readonly { percent: number; baseMinor: number; taxMinor: number }[];
  poNumber: string | null;
  purchaseRef: string | null;
  /** Terms or, for a credit note, its reason. */
  note: string | null;
  /** Number of the invoice that is credited; null for an invoice. */
  preceding: string | null;
}

type Line = EInvoiced['lineItems'][number];

const SYNTAXES: Record<EInvoiceFormat, string> = { factur_x: 'CII', xrechnung: 'XRECHNUNG-CII' };
/** UNTDID 1001. */
const INVOICE = '380';
const CREDIT_NOTE = '381';
/** UNTDID 4461: SEPA credit transfer, credit transfer, not defined. */
const SEPA = '58';
const TRANSFER = '30';
const UNDEFINED = '1';
const MAIL_ADDRESS = 'EM';
/** Of a tax identifier that begins with a country: VAT. Any other is a national tax number. */
const VAT_ID = /^[A-Z]{2}/;
const REASONS: Partial<Record<TaxCategory, string>> = { AE: 'Reverse charge', E: 'Exempt from tax' };
const MAX_NAME = 100;
/** Decimals of a unit price that is worked out. */
const PRICE_DECIMALS = 6;
const VAT = { 'cac:TaxScheme': { 'cbc:ID': 'VAT' } };
const SILENT = { log: () => {}, warn: () => {}, error: () => {} };

/**
 * An issued document as UN/CEFACT CII in the format that it was issued for. The result depends on the arguments alone.
 * `Source:` EN 16931-1:2017, XRechnung 3.0.2.
 */
export async function eInvoiceXml(document: EInvoiced, data: EInvoiceData): Promise<string> {
  const { default: core } = await import('@e-invoice-eu/core'); // 60 MB that most processes never need; named in no bundle
  const syntax = SYNTAXES[data.format];
  const format = new core.FormatFactoryService().createFormatService(syntax, SILENT);
  const invoice = { 'ubl:Invoice': content(document, data) } as object as UblInvoice; // lists that it types as tuples
  format.fillInvoiceDefaults(invoice);
  return (await format.generate(invoice, { format: syntax, lang: 'en', noWarnings: true })) as string;
}

function content(document: EInvoiced, data: EInvoiceData) {
  const { number, issueDate, dueDate, currency, purchaseRef, poNumber, note, preceding } = document;
  const amount = amountsIn(currency);
  const netMinor = document.totalMinor - document.taxMinor;
  return {
    'cbc:ID': number,
    'cbc:IssueDate': issueDate,
    ...given({ 'cbc:DueDate': dueDate, 'cbc:Note': note && [note], 'cbc:BuyerReference': purchaseRef }),
    'cbc:InvoiceTypeCode': preceding === null ? INVOICE : CREDIT_NOTE,
    'cbc:DocumentCurrencyCode': currency,
    ...given({ 'cac:OrderReference': poNumber && { 'cbc:ID': poNumber } }),
    // The library looks for the number here, not in `cac:InvoiceDocumentReference`, and writes an invalid date beside it.
    ...(preceding === null ? {} : { 'cac:BillingReference': [{ 'cbc:ID': preceding }] }),
    'cac:AccountingSupplierParty': { 'cac:Party': sellerParty(document.seller, data) },
    'cac:AccountingCustomerParty': { 'cac:Party': buyerParty(document.customer) },
    'cac:Delivery': { 'cbc:ActualDeliveryDate': deliveredOn(document) },
    'cac:PaymentMeans': [paymentMeans(document, data)],
    ...(dueDate === null ? { 'cac:PaymentTerms': { 'cbc:Note': 'Credit note: nothing is to be paid.' } } : {}),
    'cac:TaxTotal': [{ ...amount('cbc:TaxAmount', document.taxMinor), 'cac:TaxSubtotal': taxGroups(document, data) }],
    'cac:LegalMonetaryTotal': {
      ...amount('cbc:LineExtensionAmount', netMinor),
      ...amount('cbc:TaxExclusiveAmount', netMinor),
      ...amount('cbc:TaxInclusiveAmount', document.totalMinor),
      ...amount('cbc:PayableAmount', document.totalMinor),
    },
    'cac:InvoiceLine': document.lineItems.map((line, index) => lineOf(document, line, index, data.categories[index]!)),
  };
}

/** The end of the last period that is charged; without periods, the date of the document. */
function deliveredOn({ lineItems, issueDate }: EInvoiced): string {
  const ends = lineItems.flatMap(({ periodEndDate }) => periodEndDate ?? []);
  return ends.toSorted().at(-1) ?? issueDate;
}

/** The members that have a value. */
function given<T extends object>(members: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const values = Object.entries(members).filter(([, value]) => value !== null && value !== undefined && value !== '');
  return Object.fromEntries(values) as { [K in keyof T]?: NonNullable<T[K]> }; // some of the same members
}

/** Writes an amount in minor units with its currency. */
function amountsIn(currency: string) {
  return (name: string, minor: number) => ({
    [name]: decimalText(minor, currency),
    [`${name}@currencyID`]: currency,
  });
}

function sellerParty({ legalName, taxId }: InvoiceSeller, { address, contact }: EInvoiceData) {
  const id = taxId!.replaceAll(' ', '');
  return {
    ...endpoint(contact.email),
    'cac:PostalAddress': addressOf({ ...address, region: null }),
    'cac:PartyTaxScheme': [{ 'cbc:CompanyID': id, 'cac:TaxScheme': { 'cbc:ID': VAT_ID.test(id) ? 'VAT' : 'FC' } }],
    'cac:PartyLegalEntity': { 'cbc:RegistrationName': legalName! },
    ...((contact.name ?? contact.phone ?? contact.email) === null ? {} : { 'cac:Contact': contactOf(contact) }),
  };
}

function contactOf({ name, phone, email }: EInvoiceData['contact']) {
  return given({ 'cbc:Name': name, 'cbc:Telephone': phone, 'cbc:ElectronicMail': email });
}

function buyerParty({ name, email, taxId, address }: InvoiceCustomer) {
  const id = taxId?.replaceAll(' ', '') ?? null;
  return {
    ...endpoint(email),
    'cac:PostalAddress': addressOf(address!),
    ...(id !== null && VAT_ID.test(id) ? { 'cac:PartyTaxScheme': { 'cbc:CompanyID': id, ...VAT } } : {}),
    'cac:PartyLegalEntity': { 'cbc:RegistrationName': name },
  };
}

function endpoint(email: string | null) {
  return email === null ? {} : { 'cbc:EndpointID': email, 'cbc:EndpointID@schemeID': MAIL_ADDRESS };
}

function addressOf({ line1, line2, city, postalCode, region, country }: PostalAddress) {
  const lines = {
    'cbc:StreetName': line1,
    'cbc:AdditionalStreetName': line2,
    'cbc:CityName': city,
    'cbc:PostalZone': postalCode,
    'cbc:CountrySubentity': region,
  };
  return { ...given(lines), 'cac:Country': { 'cbc:IdentificationCode': country! } };
}

function paymentMeans({ number, currency, seller }: EInvoiced, { iban, bic }: EInvoiceData) {
  if (iban === null) return { 'cbc:PaymentMeansCode': UNDEFINED };
  return {
    'cbc:PaymentMeansCode': currency === 'EUR' ? SEPA : TRANSFER,
    'cbc:PaymentID': number,
    'cac:PayeeFinancialAccount': {
      'cbc:ID': iban,
      'cbc:Name': seller.legalName!,
      ...given({ 'cac:FinancialInstitutionBranch': bic && { 'cbc:ID': bic } }),
    },
  };
}

/** One group for each category and percentage. Only a standard rate has a tax, so its percentage tells it. */
function taxGroups({ lineItems, currency, taxBreakdown }: EInvoiced, { categories }: EInvoiceData) {
  const amount = amountsIn(currency);
  const lines = lineItems.map((line, index) => ({ ...line, category: categories[index]! }));
  const groups = new Map(lines.map((line) => [`${line.category} ${line.taxPercent}`, line]));
  return [...groups.values()].map(({ category, taxPercent, taxName }) => {
    const own = lines.filter((line) => line.category === category && line.taxPercent === taxPercent);
    const taxes = category === 'S' ? taxBreakdown.filter(({ percent }) => percent === taxPercent) : [];
    const reason = REASONS[category];
    return {
      ...amount('cbc:TaxableAmount', sum(own.map(({ netMinor }) => netMinor))),
      ...amount('cbc:TaxAmount', sum(taxes.map(({ taxMinor }) => taxMinor))),
      'cac:TaxCategory': {
        ...{ 'cbc:ID': category, 'cbc:Percent': String(taxPercent), ...VAT },
        ...(reason ? { 'cbc:TaxExemptionReason': category === 'E' ? (taxName ?? reason) : reason } : {}),
      },
    };
  });
}

function lineOf({ currency, taxInclusive }: EInvoiced, line: Line, index: number, category: TaxCategory) {
  const amount = amountsIn(currency);
  const { description, unit, periodStartDate, periodEndDate } = line;
  const unitCode = unitCodeOf(unit);
  const { quantity, price } = taxInclusive ? priceWithoutTax(line, currency) : priceOf(line, currency);
  const name = oneLine(description);
  return {
    'cbc:ID': String(index + 1),
    ...(unitCode === null ? { 'cbc:Note': `Unit: ${unit}` } : {}),
    'cbc:InvoicedQuantity': String(quantity),
    'cbc:InvoicedQuantity@unitCode': unitCode ?? 'C62',
    ...amount('cbc:LineExtensionAmount', line.netMinor),
    ...(periodStartDate || periodEndDate
      ? { 'cac:InvoicePeriod': given({ 'cbc:StartDate': periodStartDate, 'cbc:EndDate': periodEndDate }) }
      : {}),
    ...(taxInclusive || line.discountMinor === 0
      ? {}
      : {
          'cac:AllowanceCharge': [
            {
              'cbc:ChargeIndicator': String(line.discountMinor < 0), // a discount on what is given back
              'cbc:AllowanceChargeReason': 'Discount',
              ...amount('cbc:Amount', Math.abs(line.discountMinor)),
            },
          ],
        }),
    'cac:Item': {
      ...(name.length > MAX_NAME ? { 'cbc:Description': description } : {}),
      'cbc:Name': cut(name, MAX_NAME),
      'cac:ClassifiedTaxCategory': { 'cbc:ID': category, 'cbc:Percent': String(line.taxPercent), ...VAT },
    },
    'cac:Price': { 'cbc:PriceAmount': price, 'cbc:PriceAmount@currencyID': currency },
  };
}

/** A price is never negative in EN 16931: the quantity is. */
function priceOf({ quantity, unitPriceMinor }: Line, currency: string) {
  const price = decimalText(Math.abs(unitPriceMinor), currency);
  return { price, quantity: unitPriceMinor < 0 ? -quantity : quantity };
}

/** Of a price with tax, what is left of it without tax and after the discount. */
function priceWithoutTax({ quantity, netMinor }: Line, currency: string) {
  const minor = quantity === 0 ? 0 : Math.abs(netMinor / quantity);
  const price = (minor / 10 ** exponentOf(currency)).toFixed(PRICE_DECIMALS);
  return { price, quantity: netMinor < 0 ? -Math.abs(quantity) : Math.abs(quantity) };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
