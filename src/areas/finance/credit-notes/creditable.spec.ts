import fc from 'fast-check';
import { Problem } from '#libs/kernel/problem.js';
import { documentLines, ratesOf } from '#libs/lines/document-lines.js';
import type { LineInput, LineView } from '#libs/lines/line.dto.js';
import type { InvoiceFigures } from '../settlement-desk.js';
import { Creditable } from './creditable.js';
import { type CreditLines, shareOfInvoice, wholeInvoice } from './credit-lines.js';

const TAXES: Pick<LineInput, 'taxPercent'>[] = [
  { taxPercent: 19 },
  { taxPercent: 7.25 },
  { taxPercent: 100 },
  { taxPercent: 0 },
  {},
];

const line = (price: fc.Arbitrary<number>): fc.Arbitrary<LineInput> =>
  fc
    .tuple(price, fc.constantFrom(1, 2, 0.3333), fc.constantFrom(0, 12.5), fc.constantFrom(...TAXES))
    .map(([unitPriceMinor, quantity, discountPercent, tax]) => ({
      description: 'Work',
      unitPriceMinor,
      quantity,
      discountPercent,
      ...tax,
    }));
const prices = fc.oneof(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 30_000 }));
/** Separate discount lines can make the total of one tax negative. */
const signedPrices = fc.oneof({ weight: 4, arbitrary: prices }, { weight: 1, arbitrary: prices.map((each) => -each) });
const rules = fc.record({
  taxInclusive: fc.boolean(),
  taxRounding: fc.constantFrom('line' as const, 'total' as const),
});

interface Step {
  /** Share of the remaining amount to credit, or of the invoice lines at the given positions. */
  share: number;
  byLines: boolean;
  places: number[];
}
const steps = fc.array(
  fc.record({
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    byLines: fc.boolean(),
    places: fc.array(fc.nat(11), { minLength: 1, maxLength: 4 }),
  }),
  { maxLength: 8 },
);

type Sums = Map<string, { base: number; tax: number }>;

function sumsOf(lines: readonly LineView[]): Sums {
  const sums: Sums = new Map();
  for (const { taxPercent, netMinor, taxMinor } of lines) {
    const { base, tax } = sums.get(String(taxPercent)) ?? { base: 0, tax: 0 };
    sums.set(String(taxPercent), { base: base + netMinor, tax: tax + taxMinor });
  }
  return sums;
}

/** The invoice fields that credits use; null if it could not be issued. */
function invoiceOf(lines: LineInput[], how: { taxInclusive: boolean; taxRounding: 'line' | 'total' }) {
  const { lineItems, header } = documentLines(lines, { ...how, rates: new Map() });
  if (header.totalMinor <= 0) return null;
  return {
    number: 'INV-1',
    lineItems,
    taxInclusive: how.taxInclusive,
    totalMinor: header.totalMinor,
  } as InvoiceFigures;
}

/** The content of a credit note with some lines; null if it is rejected. */
function noteOf({ lineItems, taxInclusive }: CreditLines, invoice: InvoiceFigures, before: LineView[]) {
  const creditable = new Creditable(invoice.lineItems, before);
  try {
    const note = documentLines(lineItems, {
      taxInclusive,
      taxRounding: (tax, price) => creditable.taxOf(tax, price, taxInclusive),
      rates: ratesOf(invoice.lineItems),
    });
    creditable.expect(note.lineItems);
    return note.header.totalMinor > creditable.leftMinor ? null : note;
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

function stepLines({ share, byLines, places }: Step, invoice: InvoiceFigures, before: LineView[]): CreditLines {
  const creditable = new Creditable(invoice.lineItems, before);
  const amount = Math.floor(creditable.leftMinor * share);
  if (!byLines) return shareOfInvoice(invoice, creditable.left(), amount);
  const all = wholeInvoice(invoice);
  const some = places.map((place) => all.lineItems[place % all.lineItems.length]!);
  return { ...all, lineItems: some.map((each) => ({ ...each, quantity: Math.ceil(each.quantity! * share) })) };
}

/** For each tax, the credit is between zero and the charged amount. */
function expectWithin(credited: readonly LineView[], invoice: InvoiceFigures): void {
  const charged = sumsOf(invoice.lineItems);
  for (const [key, sums] of sumsOf(credited))
    for (const part of ['base', 'tax'] as const) {
      const [least, most] = [Math.min(0, charged.get(key)![part]), Math.max(0, charged.get(key)![part])];
      expect(sums[part]).toBeGreaterThanOrEqual(least);
      expect(sums[part]).toBeLessThanOrEqual(most);
    }
}

function creditedBy(all: readonly Step[], invoice: InvoiceFigures): LineView[] {
  const credited: LineView[] = [];
  for (const step of all) {
    const note = noteOf(stepLines(step, invoice, credited), invoice, credited);
    if (!note) {
      expect(step.byLines).toBe(true); // an amount that is left can always be credited
      continue;
    }
    credited.push(...note.lineItems);
    expectWithin(credited, invoice);
  }
  return credited;
}

describe.each([
  ['lines that charge', prices],
  ['lines that charge and lines that deduct', signedPrices],
])('of an invoice with %s', (_what, price) => {
  const invoices = fc
    .tuple(fc.array(line(price), { minLength: 1, maxLength: 12 }), rules)
    .map(([lines, how]) => invoiceOf(lines, how))
    .filter((invoice) => invoice !== null);

  it('a whole credit has its lines and figures', () => {
    fc.assert(
      fc.property(invoices, (invoice) => {
        const note = noteOf(wholeInvoice(invoice), invoice, [])!;
        const amounts = ({ id: _, ...each }: LineView) => each;
        expect(note.lineItems.map(amounts)).toEqual(invoice.lineItems.map(amounts));
      }),
      { numRuns: 300 },
    );
  });

  it('credits never come to more than was charged, and those that end whole come to exactly that, at each tax', () => {
    fc.assert(
      fc.property(invoices, steps, (invoice, all) => {
        const credited = creditedBy(all, invoice);
        const creditable = new Creditable(invoice.lineItems, credited);
        if (creditable.leftMinor === 0) return;
        const last = noteOf(shareOfInvoice(invoice, creditable.left(), creditable.leftMinor), invoice, credited)!;
        const [given, charged] = [sumsOf([...credited, ...last.lineItems]), sumsOf(invoice.lineItems)];
        for (const [key, sums] of charged) expect([key, given.get(key) ?? { base: 0, tax: 0 }]).toEqual([key, sums]);
      }),
      { numRuns: 300 },
    );
  });

  it('the tax credited so far is the share of the tax charged, to a minor unit', () => {
    fc.assert(
      fc.property(invoices, steps, (invoice, all) => {
        const charged = sumsOf(invoice.lineItems);
        const amounts = all.map((step) => ({ ...step, byLines: false }));
        for (const [key, { base, tax }] of sumsOf(creditedBy(amounts, invoice))) {
          const whole = charged.get(key)!;
          if (whole.base + whole.tax === 0) continue;
          const due = (whole.tax * (base + tax)) / (whole.base + whole.tax);
          expect(Math.abs(tax - due)).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: 200 },
    );
  });
});
