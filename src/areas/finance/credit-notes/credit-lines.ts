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

/** All lines of an invoice, credited as invoiced. */
export function wholeInvoice({ lineItems, taxInclusive }: InvoiceFigures): CreditLines {
  return { lineItems: lineItems.map((line) => ({ ...lineInputOf(line), id: undefined })), taxInclusive };
}

/**
 * Lines that add up to an amount including tax, at most the remaining amount: one line per tax, proportional to its
 * share of the remaining amount. If everything is credited, each line is exactly the remaining amount of its tax.
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
  // Negative amounts come last. Otherwise an intermediate sum could be negative and would be rounded the other way.
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
