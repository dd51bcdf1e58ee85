import { escaped } from '#libs/http/page.js';
import { toMajor } from '#libs/kernel/money.js';
import type { PublicInvoice, PublicInvoiceLine } from './public-invoice.dto.js';

/** An invoice for a customer who opens the link in a browser. */
export function invoicePage(invoice: PublicInvoice): { title: string; body: string } {
  const { number, name, seller, customer, issueDate, dueDate, lineItems, terms } = invoice;
  const money = (minor: number): string => amountOf(minor, invoice);
  const facts = (...rows: [string, string | null | undefined][]): string[] =>
    rows.flatMap(([label, value]) => (value ? [`<p>${label}: ${escaped(value)}</p>`] : []));
  const row = (what: string, minor: number): string =>
    `<tr><td>${escaped(what)}</td><td>${escaped(money(minor))}</td></tr>`;
  const line = ({ quantity, unit, description, totalMinor }: PublicInvoiceLine): string =>
    row(`${quantity} ${unit ?? '×'} ${description}`, totalMinor);
  return {
    title: `Invoice ${number}`,
    body: [
      `<p>${escaped(name)}</p>`,
      ...facts(['From', seller?.legalName], ['To', customer?.name], ['Date', issueDate], ['Due', dueDate]),
      `<table>${lineItems.map(line).join('')}</table>`,
      `<table>${row('Net', invoice.netMinor)}${row('Tax', invoice.taxMinor)}${row('Total', invoice.totalMinor)}${row('To pay', invoice.balanceMinor)}</table>`,
      ...facts(['Pay to', seller?.bank], ['Terms', terms]),
    ].join('\n'),
  };
}

function amountOf(minor: number, { currency, language }: PublicInvoice): string {
  return new Intl.NumberFormat(language ?? 'en', { style: 'currency', currency }).format(toMajor(minor, currency));
}
