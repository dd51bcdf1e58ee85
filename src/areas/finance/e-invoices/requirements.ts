import { exponentOf } from '#libs/kernel/money.js';
import type { EInvoiceFormat, EInvoiceSettings } from '#libs/settings/e-invoice.model.js';
import type { TaxRate } from '../tax-rates/tax-rate.js';
import type { Invoiced, TaxCategory } from './e-invoice.js';

/** Most decimals of an amount in EN 16931. */
const MAX_DECIMALS = 2;
const ZERO_RATED: Partial<Record<TaxRate['kind'], TaxCategory>> = { exempt: 'E', reverse_charge: 'AE' };

/** The category of a taxed line. A tax of more than 0 % is a standard rate in EN 16931, also if it is reduced. */
export function categoryOf(
  { taxRateId, taxPercent }: Invoiced['lineItems'][number],
  kinds: ReadonlyMap<string, TaxRate['kind']>,
): TaxCategory {
  if (taxPercent !== null && taxPercent > 0) return 'S';
  return ZERO_RATED[kinds.get(taxRateId ?? '') ?? 'zero'] ?? 'Z';
}

/** The fields without which a document is no electronic invoice of the format. `Source:` EN 16931-1, XRechnung 3.0.2. */
export function missingFields(
  format: EInvoiceFormat,
  { currency, customer, seller, purchaseRef, lineItems }: Invoiced,
  own: EInvoiceSettings,
  categories: readonly TaxCategory[],
): string[] {
  const { address, contact, iban } = own;
  const ofSettings = 'settings.finance.eInvoice';
  const always = {
    'settings.finance.legalEntity.legalName': seller.legalName,
    'settings.finance.legalEntity.taxId': seller.taxId,
    [`${ofSettings}.address.country`]: address.country,
    'customer.name': customer?.name,
    'customer.address.country': customer?.address?.country,
    ...(categories.includes('AE') ? { 'customer.taxId': customer?.taxId } : {}),
    currency: exponentOf(currency) <= MAX_DECIMALS,
    ...Object.fromEntries(lineItems.map((line, index) => [`lineItems.${index}.taxPercent`, line.taxPercent !== null])),
  };
  const inGermany = {
    [`${ofSettings}.address.city`]: address.city,
    [`${ofSettings}.address.postalCode`]: address.postalCode,
    [`${ofSettings}.contact.name`]: contact.name,
    [`${ofSettings}.contact.phone`]: contact.phone,
    [`${ofSettings}.contact.email`]: contact.email,
    [`${ofSettings}.iban`]: iban,
    'customer.email': customer?.email,
    'customer.address.city': customer?.address?.city,
    'customer.address.postalCode': customer?.address?.postalCode,
    purchaseRef,
  };
  const required = format === 'xrechnung' ? { ...always, ...inGermany } : always;
  return Object.entries(required).flatMap(([field, value]) => (value ? [] : [field]));
}
