import { lineInputOf } from '#libs/lines/document-lines.js';
import type { LineInput, LineView } from '#libs/lines/line.dto.js';
import { roundedQuotient } from '#libs/lines/exact-amounts.js';
import type { InvoiceFigures } from '../settlement-desk.js';

/** Lines of a credit note, and whether their prices include tax. */
export interface CreditLines {
  lineItems: LineInput[];
  taxInclusive: boolean;
}

/** All lines of an invoice, to be credited as they were invoiced. */
export function wholeInvoice({ lineItems, taxInclusive }: InvoiceFigures): CreditLines {
  return { lineItems: lineItems.map((line) => ({ ...lineInputOf(line), id: undefined })), taxInclusive };
}

/**
 * Lines that come to an amount with tax: one for each tax of the invoice, as large as its share. Where shares make no
 * sense (a tax whose lines come to less than nothing) it is one line without tax.
 */
export function shareOfInvoice({ lineItems, totalMinor, number }: InvoiceFigures, amountMinor: number): CreditLines {
  const groups = byTax(lineItems);
  const description = `Credit for ${number ?? 'the invoice'}`;
  if (totalMinor <= 0 || groups.some(({ sumMinor }) => sumMinor < 0))
    return { lineItems: [{ description, unitPriceMinor: amountMinor }], taxInclusive: true };
  let before = 0;
  let given = 0;
  const shares = groups.map(({ line, sumMinor }) => {
    before += sumMinor;
    const upTo = Number(roundedQuotient(BigInt(amountMinor) * BigInt(before), BigInt(totalMinor)));
    const unitPriceMinor = upTo - given;
    given = upTo;
    const { taxRateId, taxPercent } = line;
    const tax = taxRateId === null ? { taxPercent } : { taxRateId };
    return { description: `${description}${taxLabel(line)}`, unitPriceMinor, ...tax };
  });
  return { lineItems: shares.filter(({ unitPriceMinor }) => unitPriceMinor !== 0), taxInclusive: true };
}

function byTax(lines: readonly LineView[]): { line: LineView; sumMinor: number }[] {
  const groups = new Map<string, { line: LineView; sumMinor: number }>();
  for (const line of lines) {
    const key = `${line.taxRateId} ${line.taxPercent}`;
    const group = groups.get(key);
    if (group) group.sumMinor += line.totalMinor;
    else groups.set(key, { line, sumMinor: line.totalMinor });
  }
  return [...groups.values()];
}

function taxLabel({ taxName, taxPercent }: LineView): string {
  return taxPercent === null ? '' : ` (${taxName ?? 'tax'} ${taxPercent} %)`;
}
