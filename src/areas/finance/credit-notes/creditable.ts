import { Problem } from '#libs/kernel/problem.js';
import { roundedQuotient } from '#libs/lines/exact-amounts.js';
import type { LineView } from '#libs/lines/line.dto.js';
import type { LineTax } from '#libs/lines/taxable-line.js';

/** A line as far as its tax goes; lines without a tax are taxed alike. */
type TaxedLine = Pick<LineView, 'taxRateId' | 'taxName' | 'taxPercent' | 'netMinor' | 'taxMinor'>;

interface Sums {
  net: bigint;
  tax: bigint;
}

/** What an invoice charges at one tax, and what its credit notes have taken back of that. */
interface Charge {
  line: TaxedLine;
  charged: Sums;
  credited: Sums;
}

/** What is left at one tax: `totalMinor` with the tax, `taxMinor` of it the tax. */
export interface TaxLeft {
  line: TaxedLine;
  totalMinor: bigint;
  taxMinor: bigint;
}

const NOTHING: Sums = { net: 0n, tax: 0n };

/**
 * What can be credited of an invoice, tax by tax. The tax of a credit is the difference of two cumulative ones, the share
 * of the charged tax before and after it: so credits never take back more than was charged, and once the whole base of a
 * tax is credited, its whole tax is, whatever was rounded on the way.
 */
export class Creditable {
  private readonly charges = new Map<string, Charge>();

  /** `credited` are the lines of all credit notes that have been issued and not voided. */
  constructor(invoiced: readonly TaxedLine[], credited: readonly TaxedLine[]) {
    for (const [key, { line, sums }] of byTax(invoiced))
      this.charges.set(key, { line, charged: sums, credited: NOTHING });
    for (const [key, { line, sums }] of byTax(credited)) {
      const { charged = NOTHING } = this.charges.get(key) ?? {};
      this.charges.set(key, { line, charged, credited: sums });
    }
  }

  /** What is left at each tax, in the order of the invoice. */
  left(): TaxLeft[] {
    return [...this.charges.values()].map(({ line, charged, credited }) => ({
      line,
      totalMinor: totalOf(charged) - totalOf(credited),
      taxMinor: charged.tax - credited.tax,
    }));
  }

  /** What is left of the whole invoice, with tax. */
  get leftMinor(): number {
    return Number(this.left().reduce((sum, { totalMinor }) => sum + totalMinor, 0n));
  }

  /** All tax that the invoice charges, and what is credited of it. */
  get tax(): { chargedMinor: number; creditedMinor: number } {
    const sum = (part: 'charged' | 'credited') =>
      Number([...this.charges.values()].reduce((all, charge) => all + charge[part].tax, 0n));
    return { chargedMinor: sum('charged'), creditedMinor: sum('credited') };
  }

  /** The tax of a credit of so much at one tax; `price` includes the tax if `taxInclusive`. */
  taxOf({ taxRateId, percent }: LineTax, price: bigint, taxInclusive: boolean): bigint {
    const charge = this.charges.get(keyOf(taxRateId, percent));
    if (!charge) return 0n; // refused by `expect`
    const measured = taxInclusive ? totalOf : ({ net }: Sums) => net;
    const whole = measured(charge.charged);
    const after = measured(charge.credited) + price;
    const { tax } = charge.credited;
    if (after === whole) return charge.charged.tax - tax;
    if (price === 0n) return 0n;
    const due = whole === 0n ? tax : fraction(charge.charged.tax, after, whole);
    return (price > 0n ? later(due, tax) : -later(-due, -tax)) - tax;
  }

  /**
   * @throws Problem 409 `tax_mismatch` for lines of a tax that the invoice does not charge, `amount_exceeds_balance` for
   * more at one tax than is left of it.
   */
  expect(lines: readonly TaxedLine[]): void {
    for (const [key, { line, sums }] of byTax(lines)) {
      const charge = this.charges.get(key);
      if (!charge) throw new Problem('tax_mismatch', `The invoice has no line ${atTax(line)}.`);
      const { charged, credited } = charge;
      if (exceeds(sums.net, credited.net, charged.net) || exceeds(sums.tax, credited.tax, charged.tax))
        throw new Problem(
          'amount_exceeds_balance',
          `More would be credited ${atTax(line)} than is left of the invoice.`,
        );
    }
  }
}

function atTax({ taxName, taxPercent }: TaxedLine): string {
  return taxPercent === null ? 'without tax' : `with ${taxName ?? 'tax'} of ${taxPercent} %`;
}

function byTax(lines: readonly TaxedLine[]): Map<string, { line: TaxedLine; sums: Sums }> {
  const groups = new Map<string, { line: TaxedLine; sums: Sums }>();
  for (const line of lines) {
    const key = keyOf(line.taxRateId, line.taxPercent);
    const { net, tax } = groups.get(key)?.sums ?? NOTHING;
    groups.set(key, { line, sums: { net: net + BigInt(line.netMinor), tax: tax + BigInt(line.taxMinor) } });
  }
  return groups;
}

function keyOf(taxRateId: string | null, percent: number | null): string {
  return `${taxRateId} ${percent}`;
}

function totalOf({ net, tax }: Sums): bigint {
  return net + tax;
}

/** `amount * part / whole`, rounded. */
function fraction(amount: bigint, part: bigint, whole: bigint): bigint {
  return whole < 0n ? roundedQuotient(amount * -part, -whole) : roundedQuotient(amount * part, whole);
}

function later(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** Whether a step away from what is credited so far ends beyond what was charged. */
function exceeds(step: bigint, credited: bigint, charged: bigint): boolean {
  const after = credited + step;
  return step > 0n ? after > later(charged, 0n) : step < 0n && -after > later(-charged, 0n);
}
