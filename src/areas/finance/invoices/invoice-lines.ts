import { toMinor } from '#libs/kernel/money.js';
import { notWith, Problem, type Violation } from '#libs/kernel/problem.js';
import { lineInputOf } from '#libs/lines/document-lines.js';
import type { InvoiceInput } from './invoice.js';
import type { InvoiceCustomer, InvoiceLine, InvoiceLineInput } from './invoice.parts.js';

const NO_ADDRESS = { line1: null, line2: null, city: null, region: null, postalCode: null, country: null };

/** The lines of a create body; an amount becomes one line. @throws Problem 400. */
export function linesOf({ amount, lineItems }: InvoiceInput, currency: string): readonly InvoiceLineInput[] {
  if (amount == null) return lineItems ?? [];
  if (lineItems)
    throw Problem.validation([
      { pointer: '/amount', ...notWith('line_items', 'An invoice has an amount or lines, not both.') },
    ]);
  return [lineOfAmount(amount, currency)];
}

/** A stored line as its caller would send it. */
export function invoiceLineInputOf(line: InvoiceLine): InvoiceLineInput {
  const { source, periodStartDate, periodEndDate } = line;
  return { ...lineInputOf(line), source, periodStartDate, periodEndDate };
}

/**
 * The single line for an amount in major units.
 * @throws Problem 400 for more decimals than the currency has.
 */
export function lineOfAmount(amount: number, currency: string): InvoiceLineInput {
  const unitPriceMinor = toMinor(amount, currency);
  if (unitPriceMinor === null)
    throw invalid('/amount', 'out_of_range', `The amount must fit ${currency}: no more decimals than it has.`);
  return { description: 'Services', unitPriceMinor };
}

/** A customer with all fields, missing ones empty. `before` is the value that a merge patch changes. */
export function completeCustomer(
  customer: InvoiceCustomer | null | undefined,
  before: InvoiceCustomer | null = null,
): InvoiceCustomer | null {
  if (!customer) return null;
  const { name, email = null, taxId = null, address = null } = { ...before, ...customer };
  return { name, email, taxId, address: address && { ...NO_ADDRESS, ...before?.address, ...address } };
}

/** A 400 for one field. */
export function invalid(pointer: string, code: string, detail: string): Problem {
  return Problem.validation([{ pointer, code, detail }]);
}

/** @throws Problem 400 for sources of unknown types, duplicate sources, and periods that end before they begin. */
export function refuseSources(lines: readonly InvoiceLineInput[], isType: (object: string) => boolean): void {
  const seen = new Set<string>();
  const violations = lines.flatMap(({ source, periodStartDate, periodEndDate }, index): Violation[] => {
    const faults: Violation[] = [];
    const at = (member: string) => `/lineItems/${index}/${member}`;
    if (periodStartDate && periodEndDate && periodEndDate < periodStartDate)
      faults.push({ pointer: at('periodEndDate'), code: 'out_of_range', detail: 'The period ends before it begins.' });
    if (!source) return faults;
    const key = `${source.object} ${source.id}`;
    if (!isType(source.object))
      faults.push({ pointer: at('source/object'), code: 'unknown_type', detail: 'There is no such type of record.' });
    if (seen.has(key))
      faults.push({ pointer: at('source'), code: 'not_unique', detail: 'Another line charges for the same.' });
    seen.add(key);
    return faults;
  });
  if (violations.length > 0) throw Problem.validation(violations);
}
