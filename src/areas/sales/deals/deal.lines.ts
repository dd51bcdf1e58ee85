import type { Statement } from '#libs/database/statement.js';
import { Problem } from '#libs/kernel/problem.js';
import { documentLines, type NamedRate, ratesOf, taxRateIdsOf } from '#libs/lines/document-lines.js';
import type { LineInput, LineView } from '#libs/lines/line.dto.js';
import { mustExist } from '#libs/resource/access/references.js';

/** Finds tax rates by id. @throws Problem 400 for an id that is not usable. */
export type TaxRates = (ids: string[]) => Promise<ReadonlyMap<string, NamedRate>>;

/**
 * The lines of a deal as stored. Rates of existing lines are kept.
 * @throws Problem 400 for invalid lines or a negative total.
 */
export async function linesOf(input: LineInput[], present: LineView[], rates: TaxRates): Promise<LineView[]> {
  const known = ratesOf(present);
  const asked = taxRateIdsOf(input).filter((id) => !known.has(id));
  const found = asked.length > 0 ? await rates(asked) : [];
  const rules = { taxInclusive: false, taxRounding: 'line', rates: new Map([...known, ...found]), present } as const;
  const { lineItems, header } = documentLines(input, rules);
  if (header.netMinor < 0)
    throw Problem.validation([
      { pointer: '/lineItems', code: 'out_of_range', detail: 'The lines come to less than nothing.' },
    ]);
  return lineItems;
}

/** The total of lines before tax, in minor units; null if there are none. */
export function netOf(lines: LineView[]): number | null {
  return lines.length === 0 ? null : lines.reduce((sum, { netMinor }) => sum + netMinor, 0);
}

/**
 * The value of a deal: the total of its lines, else the given value.
 * @throws Problem 400 `amount_mismatch` if both disagree.
 */
export function valueOfDeal(lines: LineView[], given: number | null | undefined): number | null | undefined {
  const net = netOf(lines);
  if (net === null) return given;
  if (given !== undefined && given !== net)
    throw new Problem('amount_mismatch', 'The value of a deal with lines is their net total; change the lines.');
  return net;
}

/** The largest discount of any line, in percent. */
export function largestDiscount(lines: LineView[]): number {
  return Math.max(0, ...lines.map(({ discountPercent }) => discountPercent));
}

export const PRODUCT = { table: 'data.sales_products' };

/** Statements that fail for lines with unknown products; existing lines are not checked again. */
export function productChecks(lines: LineView[], present: LineView[]): Statement[] {
  const ids = newProducts(lines, present);
  return ids.length > 0 ? [mustExist(PRODUCT, '/lineItems', ids)] : [];
}

/** Products that only the new lines reference. */
export function newProducts(lines: readonly LineInput[], present: readonly LineView[]): string[] {
  const known = new Set(present.map(({ productId }) => productId));
  return [...new Set(lines.flatMap(({ productId }) => (productId && !known.has(productId) ? productId : [])))];
}
