import { uuidv7 } from '#libs/kernel/id.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import { computeLines, type HeaderAmounts, type LineRules, type TaxShare } from './line-engine.js';
import type { LineInput, LineView } from './line.dto.js';
import type { LineTax, TaxableLine } from './taxable-line.js';

/** A tax rate as copied to a line. `percent` is a percentage. */
export interface NamedRate {
  name: string;
  percent: number;
}

export interface DocumentRules extends LineRules {
  /** The rates that the lines reference, by id; see {@link taxRateIdsOf}. */
  rates: ReadonlyMap<string, NamedRate>;
  /** Existing lines of the record; the input may contain only their ids. */
  present?: readonly { id: string }[];
}

/** The lines of a record with all calculated amounts. */
export interface DocumentLines {
  /** In input order, which determines `position`. */
  lineItems: LineView[];
  header: HeaderAmounts;
  taxBreakdown: TaxShare[];
}

/** Distinct ids of the tax rates that lines reference. */
export function taxRateIdsOf(lines: readonly Pick<LineInput, 'taxRateId'>[]): string[] {
  return [...new Set(lines.flatMap(({ taxRateId }) => taxRateId ?? []))];
}

/**
 * Completes lines from a caller with defaults, taxes, ids, positions and amounts.
 * @throws Problem 400 naming each line with an unknown rate, two taxes, a foreign id, or amounts out of range.
 */
export function documentLines(input: readonly LineInput[], rules: DocumentRules): DocumentLines {
  const { pointer = '/lineItems', rates, present = [] } = rules;
  const violations = input.flatMap((line, index) => faultsOf(line, index, input, rates, present));
  if (violations.length > 0)
    throw Problem.validation(violations.map((each) => ({ ...each, pointer: `${pointer}${each.pointer}` })));
  const taxable = input.map((line) => taxableLine(line, rates));
  const { lines, header, taxBreakdown } = computeLines(taxable, rules);
  const lineItems = input.map(({ id, productId, unit, unitPriceMinor }, index): LineView => {
    const { description, quantity, discountPercent, tax } = taxable[index]!;
    return {
      id: id ?? uuidv7(),
      position: index + 1,
      productId: productId ?? null,
      description,
      quantity,
      unit: unit ?? null,
      unitPriceMinor,
      discountPercent,
      taxRateId: tax?.taxRateId ?? null,
      taxName: tax?.name ?? null,
      taxPercent: tax?.percent ?? null,
      ...lines[index]!,
    };
  });
  return { lineItems, header, taxBreakdown };
}

/** A stored line as its caller would send it. */
export function lineInputOf(line: LineView): LineInput {
  const { id, productId, description, quantity, unit, unitPriceMinor, discountPercent, taxRateId, taxPercent } = line;
  const tax = taxRateId === null ? { taxPercent } : { taxRateId };
  return { id, productId, description, quantity, unit, unitPriceMinor, discountPercent, ...tax };
}

/** The rates of stored lines as of when the lines were written. */
export function ratesOf(lines: readonly LineView[]): Map<string, NamedRate> {
  return new Map(
    lines.flatMap(({ taxRateId, taxName, taxPercent }) =>
      taxRateId === null ? [] : [[taxRateId, { name: taxName!, percent: taxPercent! }]],
    ),
  );
}

function taxableLine(line: LineInput, rates: ReadonlyMap<string, NamedRate>): TaxableLine {
  const { description, quantity = 1, unitPriceMinor, discountPercent = 0 } = line;
  return { description, quantity, unitPriceMinor, discountPercent, tax: taxOf(line, rates) };
}

function taxOf({ taxRateId, taxPercent }: LineInput, rates: ReadonlyMap<string, NamedRate>): LineTax | null {
  if (taxRateId) {
    const { name, percent } = rates.get(taxRateId)!;
    return { taxRateId, name, percent };
  }
  return taxPercent == null ? null : { taxRateId: null, name: null, percent: taxPercent };
}

function faultsOf(
  line: LineInput,
  index: number,
  all: readonly LineInput[],
  rates: DocumentRules['rates'],
  present: readonly { id: string }[],
): (Violation & { pointer: string })[] {
  const faults: [member: string, code: string, detail: string][] = [];
  const { id, taxRateId, taxPercent } = line;
  if (id !== undefined && !present.some((each) => each.id === id))
    faults.push(['id', 'unknown_line', 'The record has no such line; leave the id out for a new one.']);
  else if (id !== undefined && all.findIndex((each) => each.id === id) < index)
    faults.push(['id', 'not_unique', 'Another line has that id.']);
  if (taxRateId && taxPercent != null)
    faults.push(['taxPercent', 'not_with_tax_rate', 'A line has a tax rate or a percentage, not both.']);
  if (taxRateId && !rates.has(taxRateId))
    faults.push(['taxRateId', 'unknown_reference', 'There is no such tax rate to use.']);
  return faults.map(([member, code, detail]) => ({ pointer: `/${index}/${member}`, code, detail }));
}
