import { roundedQuotient } from '#libs/lines/exact-amounts.js';
import { lineInputOf } from '#libs/lines/document-lines.js';
import type { LineInput } from '#libs/lines/line.dto.js';
import type { InvoiceFigures } from '../settlement-desk.js';
import type { TaxLeft } from './creditable.js';

/** Lines of a credit note, and whether their prices include tax. */
export interface CreditLines {
  lineItems: readonly LineInput[];
  taxInclusive: boolean;
}

/** All lines of an invoice, to be credited as they were invoiced. */
export function wholeInvoice({ lineItems, taxInclusive }: InvoiceFigures): CreditLines {
  return { lineItems: lineItems.map((line) => ({ ...lineInputOf(line), id: undefined })), taxInclusive };
}

/**
 * Lines that come to an amount with tax, which is not more than what is left of the invoice: one for each tax, as large as
 * its share of what is left. All that is left is exactly what is left of each.
 */
export function shareOfInvoice(
  { number }: Pick<InvoiceFigures, 'number'>,
  left: readonly TaxLeft[],
  amountMinor: number,
): CreditLines {
  if (amountMinor === 0) return { lineItems: [], taxInclusive: true };
  const amount = BigInt(amountMinor);
  const whole = left.reduce((sum, { totalMinor }) => sum + totalMinor, 0n);
  let before = 0n;
  let given = 0n;
  // What is negative comes last: no sum on the way is then below zero, where amounts would be rounded the other way.
  const shares = [...left.filter((each) => each.totalMinor >= 0n), ...left.filter((each) => each.totalMinor < 0n)].map(
    ({ line, totalMinor, taxMinor }) => {
      before += totalMinor;
      const upTo = roundedQuotient(amount * before, whole);
      const share = { line, priceMinor: upTo - given, isTaxAlone: amount === whole && taxMinor !== 0n };
      given = upTo;
      return share;
    },
  );
  const lineItems = shares
    .filter(({ priceMinor, isTaxAlone }) => priceMinor !== 0n || isTaxAlone)
    .map(({ line, priceMinor }) => ({
      description: `Credit for ${number ?? 'the invoice'}${taxLabel(line)}`,
      unitPriceMinor: Number(priceMinor),
      ...(line.taxRateId === null ? { taxPercent: line.taxPercent } : { taxRateId: line.taxRateId }),
    }));
  return { lineItems, taxInclusive: true };
}

function taxLabel({ taxName, taxPercent }: TaxLeft['line']): string {
  return taxPercent === null ? '' : ` (${taxName ?? 'tax'} ${taxPercent} %)`;
}
