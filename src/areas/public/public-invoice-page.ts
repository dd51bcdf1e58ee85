import { escaped } from '#libs/http/page.js';
import { toMajor } from '#libs/kernel/money.js';
import type { PublicInvoice, PublicInvoiceLine } from './public-invoice.dto.js';

/** An invoice for a customer who opens the link in a browser. */
export function invoicePage(invoice: PublicInvoice): { title: string; body: string } {
  const { number, name, seller, customer, issueDate, dueDate, lineItems, terms } = invoice;
  const money = (minor: number): string => amountOf(minor, invoice);
  const facts: [string, string | null | undefined][] = [
    ['From', seller?.legalName],
    ['To', customer?.name],
    ['Date', issueDate],
    ['Due', dueDate],
    ['Net', money(invoice.netMinor)],
    ['Tax', money(invoice.taxMinor)],
    ['Total', money(invoice.totalMinor)],
    ['To pay', money(invoice.balanceMinor)],
    ['Pay to', seller?.bank],
    ['Terms', terms],
  ];
  const line = ({ quantity, unit, description, totalMinor }: PublicInvoiceLine): string =>
    `<li>${quantity} ${escaped(unit ?? '×')} ${escaped(description)}: ${escaped(money(totalMinor))}</li>`;
  return {
    title: `Invoice ${number}`,
    body: [
      `<p>${escaped(name)}</p>`,
      `<ul>${lineItems.map(line).join('')}</ul>`,
      ...facts.flatMap(([label, value]) => (value ? [`<p>${label}: ${escaped(value)}</p>`] : [])),
    ].join('\n'),
  };
}

function amountOf(minor: number, { currency, language }: PublicInvoice): string {
  return new Intl.NumberFormat(language ?? 'en', { style: 'currency', currency }).format(toMajor(minor, currency));
}
