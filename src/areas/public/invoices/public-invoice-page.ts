import type { Page } from '#libs/http/page.js';
import type { Brand } from '#libs/http/pages/brand.js';
import { formatsOf } from '#libs/http/pages/formats.js';
import { markup, paragraphs } from '#libs/http/pages/markup.js';
import type { PublicAddress, PublicInvoice } from './public-invoice.dto.js';

const STATES: Record<string, string> = {
  issued: 'to be paid',
  partially_paid: 'partly paid',
  overdue: 'overdue',
  paid: 'paid',
  void: 'cancelled',
  uncollectible: 'written off',
};

/** An invoice for a customer who opens the link in a browser. */
export function invoicePage(invoice: PublicInvoice, brand: Brand): Page {
  const { number, name, status, seller, customer, lineItems, terms, currency, taxInclusive } = invoice;
  const { date, money } = formatsOf({ ...brand, locale: invoice.language ?? brand.locale });
  const fact = (label: string, value: string | null | undefined) =>
    value ? markup`<dt>${label}</dt><dd>${value}</dd>` : null;
  const sum = (label: string, minor: number) => markup`<tr><td>${label}</td><td>${money(minor, currency)}</td></tr>`;
  return {
    title: `Invoice ${number}`,
    brand,
    body: markup`<p>${name}</p>
<dl>
${fact('Status', STATES[status])}
${fact('From', linesOf(seller?.legalName, seller?.address, seller?.taxId && `Tax number ${seller.taxId}`))}
${fact('To', linesOf(customer?.name, ...addressOf(customer?.address), customer?.taxId && `Tax number ${customer.taxId}`))}
${fact('Date', date(invoice.issueDate))}
${fact('Due', date(invoice.dueDate))}
${fact('Purchase order', invoice.poNumber)}
${fact('Your reference', invoice.purchaseRef)}
</dl>
<table class="amounts"><caption>Charged${taxInclusive && ', prices with tax'}</caption>
<thead><tr><th scope="col">Quantity</th><th scope="col">Description</th><th scope="col">Amount</th></tr></thead>
<tbody>
${lineItems.map(
  ({ quantity, unit, description, totalMinor, taxName, taxPercent }) =>
    markup`<tr><td>${quantity} ${unit ?? '×'}</td><td>${description}${taxPercent !== null && markup`<br><small>${taxName ?? 'Tax'} ${taxPercent} %</small>`}</td><td>${money(totalMinor, currency)}</td></tr>`,
)}
</tbody></table>
<table class="amounts sums"><caption>Sums</caption><tbody>
${sum('Net', invoice.netMinor)}
${sum('Tax', invoice.taxMinor)}
${sum('Total', invoice.totalMinor)}
${sum('To pay', invoice.balanceMinor)}
</tbody></table>
${seller?.bank && markup`<h2>How to pay</h2>${paragraphs(seller.bank)}`}
${terms && markup`<h2>Terms</h2>${paragraphs(terms)}`}`,
  };
}

function linesOf(...lines: (string | null | undefined)[]): string {
  return lines.filter(Boolean).join('\n');
}

function addressOf(address: PublicAddress | null | undefined): (string | null)[] {
  if (!address) return [];
  const { line1, line2, postalCode, city, region, country } = address;
  return [line1, line2, [postalCode, city].filter(Boolean).join(' '), region, country];
}
