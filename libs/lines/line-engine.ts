import { Problem, type Violation } from '#libs/kernel/problem.js';
import { PLACES, toTenThousandths } from './decimal.js';
import { type ExactAmounts, fitsMinor, roundedQuotient, sumOf } from './exact-amounts.js';
import { largestLine } from './largest-line.js';
import type { LineTax, TaxableLine } from './taxable-line.js';

/**
 * Amounts of a line, in minor units. `net + tax = total` always; `gross − discount` is the net, or the total when unit
 * prices include tax.
 */
export interface LineAmounts {
  grossMinor: number;
  discountMinor: number;
  netMinor: number;
  taxMinor: number;
  totalMinor: number;
}

/** Totals of the lines, in minor units; `subtotalMinor` is the sum of their gross amounts. */
export interface HeaderAmounts {
  subtotalMinor: number;
  discountMinor: number;
  netMinor: number;
  taxMinor: number;
  totalMinor: number;
}

/** Totals of all lines with one tax, in minor units; `baseMinor` is the sum of their net amounts. */
export interface TaxShare extends LineTax {
  baseMinor: number;
  taxMinor: number;
}

export interface LineRules {
  /** Whether unit prices include tax. */
  taxInclusive: boolean;
  /**
   * Where tax is rounded: per line, or once on the total base of each tax. A function returns the tax of all lines with
   * one tax, given the sum of their prices after discount.
   */
  taxRounding: 'line' | 'total' | ((tax: LineTax, price: bigint) => bigint);
  /** JSON pointer to the list of lines, for violations; by default `/lineItems`. */
  pointer?: string;
}

export interface ComputedLines {
  /** In input order. */
  lines: LineAmounts[];
  header: HeaderAmounts;
  /** One entry per tax of the lines, highest percentage first. */
  taxBreakdown: TaxShare[];
}

interface TaxGroup {
  tax: LineTax;
  percent: bigint;
  members: number[];
}

const ONE = 10n ** BigInt(PLACES);
const HUNDRED_PERCENT = 100n * ONE;

/**
 * Calculates lines, document totals and taxes. A pure function on integers. Each rounding is half away from zero; the
 * result does not depend on the order of the lines, and negated quantities negate it. If `taxRounding` is not `line`,
 * the rounding difference of a tax is added to its largest line.
 * @throws Problem 400 for values with too many decimals or beyond ±(2^53 − 1).
 */
export function computeLines(lines: readonly TaxableLine[], rules: LineRules): ComputedLines {
  const { taxInclusive, taxRounding, pointer = '/lineItems' } = rules;
  const exact = lines.map((line, index) => pricedLine(line, `${pointer}/${index}`));
  const groups = taxGroups(lines, pointer);
  for (const { tax, percent, members } of groups) {
    const sum = sumOf(members.map((index) => exact[index]!));
    for (const index of members) exact[index] = taxed(exact[index]!, percent, taxInclusive);
    if (taxRounding === 'line') continue;
    const whole =
      taxRounding === 'total' ? taxed(sum, percent, taxInclusive).tax : taxRounding(tax, sum.gross - sum.discount);
    const missing = whole - sumOf(members.map((index) => exact[index]!)).tax;
    if (missing === 0n) continue;
    const largest = largestLine(members, exact, lines, missing);
    exact[largest] = withTax(exact[largest]!, exact[largest]!.tax + missing, taxInclusive);
  }
  const header = sumOf(exact);
  const shares = groups.map(({ members }) => sumOf(members.map((index) => exact[index]!)));
  refuseInexact(exact, [header, ...shares], pointer);
  const { grossMinor: subtotalMinor, ...sums } = inMinor(header);
  return {
    lines: exact.map(inMinor),
    header: { subtotalMinor, ...sums },
    taxBreakdown: groups.map(({ tax }, index) => {
      const { netMinor: baseMinor, taxMinor } = inMinor(shares[index]!);
      return { taxRateId: tax.taxRateId, name: tax.name, percent: tax.percent, baseMinor, taxMinor };
    }),
  };
}

/** A line before tax. */
function pricedLine(line: TaxableLine, pointer: string): ExactAmounts {
  const quantity = tenThousandths(line.quantity, `${pointer}/quantity`);
  const discountPercent = tenThousandths(line.discountPercent, `${pointer}/discountPercent`);
  if (!Number.isSafeInteger(line.unitPriceMinor))
    throw outOfRange([`${pointer}/unitPriceMinor`], 'The unit price must be a whole number of minor units.');
  const gross = roundedQuotient(quantity * BigInt(line.unitPriceMinor), ONE);
  const discount = roundedQuotient(gross * discountPercent, HUNDRED_PERCENT);
  const net = gross - discount;
  return { gross, discount, net, tax: 0n, total: net };
}

/** The amounts including a tax of `percent` ten-thousandths of a percent. */
function taxed(amounts: ExactAmounts, percent: bigint, taxInclusive: boolean): ExactAmounts {
  const price = amounts.gross - amounts.discount;
  const tax = taxInclusive
    ? price - roundedQuotient(price * HUNDRED_PERCENT, HUNDRED_PERCENT + percent)
    : roundedQuotient(price * percent, HUNDRED_PERCENT);
  return withTax(amounts, tax, taxInclusive);
}

function withTax(amounts: ExactAmounts, tax: bigint, taxInclusive: boolean): ExactAmounts {
  const price = amounts.gross - amounts.discount;
  return taxInclusive
    ? { ...amounts, tax, net: price - tax, total: price }
    : { ...amounts, tax, net: price, total: price + tax };
}

/** Groups of lines with the same tax, in an order independent of the input order. */
function taxGroups(lines: readonly TaxableLine[], pointer: string): TaxGroup[] {
  const groups = new Map<string, TaxGroup>();
  lines.forEach(({ tax }, index) => {
    if (!tax) return;
    const key = JSON.stringify([tax.taxRateId, tax.name, tax.percent]);
    const percent = tenThousandths(tax.percent, `${pointer}/${index}/taxPercent`);
    const group = groups.get(key);
    if (group) group.members.push(index);
    else groups.set(key, { tax, percent, members: [index] });
  });
  return [...groups]
    .sort(([a, { tax: one }], [b, { tax: other }]) => other.percent - one.percent || (a < b ? -1 : 1))
    .map(([, group]) => group);
}

function tenThousandths(value: number, pointer: string): bigint {
  const scaled = toTenThousandths(value);
  if (scaled === null) throw outOfRange([pointer], `The value may have at most ${PLACES} decimals.`);
  return scaled;
}

/** @throws Problem 400 for each line, or the list, whose amounts JSON cannot represent exactly. */
function refuseInexact(lines: ExactAmounts[], sums: ExactAmounts[], pointer: string): void {
  const faulty = lines.flatMap((line, index) => (fitsMinor(line) ? [] : [`${pointer}/${index}`]));
  const detail = 'The amounts leave the range of exact minor units.';
  if (faulty.length > 0) throw outOfRange(faulty, detail);
  if (!sums.every(fitsMinor)) throw outOfRange([pointer], detail);
}

function outOfRange(pointers: string[], detail: string): Problem {
  return Problem.validation(pointers.map((pointer): Violation => ({ pointer, code: 'out_of_range', detail })));
}

function inMinor({ gross, discount, net, tax, total }: ExactAmounts): LineAmounts {
  return {
    grossMinor: Number(gross),
    discountMinor: Number(discount),
    netMinor: Number(net),
    taxMinor: Number(tax),
    totalMinor: Number(total),
  };
}
