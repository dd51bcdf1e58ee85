import { Problem } from '#libs/kernel/problem.js';
import { roundedQuotient } from '#libs/lines/exact-amounts.js';
import type { LineView } from '#libs/lines/line.dto.js';
import type { LineTax } from '#libs/lines/taxable-line.js';

/** The tax fields of a line; lines without a tax form one group. */
type TaxedLine = Pick<LineView, 'taxRateId' | 'taxName' | 'taxPercent' | 'netMinor' | 'taxMinor'>;

interface Sums {
  net: bigint;
  tax: bigint;
}

/** Charged and credited amounts of an invoice for one tax. */
interface Charge {
  line: TaxedLine;
  charged: Sums;
  credited: Sums;
}

/** Remaining amounts for one tax: `totalMinor` includes the tax, `taxMinor` is the tax. */
export interface TaxLeft {
  line: TaxedLine;
  totalMinor: bigint;
  taxMinor: bigint;
}

const NOTHING: Sums = { net: 0n, tax: 0n };

/**
 * The amounts of an invoice that can still be credited, per tax. The tax of a credit is the difference between the
 * cumulative tax after and before it. Credits therefore never exceed the charged tax, and once the whole base is
 * credited, so is the whole tax, regardless of rounding.
 */
export class Creditable {
  private readonly charges = new Map<string, Charge>();

  /** `credited` are the lines of all credit notes that are issued and not voided. */
  constructor(invoiced: readonly TaxedLine[], credited: readonly TaxedLine[]) {
    for (const [key, { line, sums }] of byTax(invoiced))
      this.charges.set(key, { line, charged: sums, credited: NOTHING });
    for (const [key, { line, sums }] of byTax(credited)) {
      const { charged = NOTHING } = this.charges.get(key) ?? {};
      this.charges.set(key, { line, charged, credited: sums });
    }
  }

  /** Remaining amounts per tax, in invoice order. */
  left(): TaxLeft[] {
    return [...this.charges.values()].map(({ line, charged, credited }) => ({
      line,
      totalMinor: totalOf(charged) - totalOf(credited),
      taxMinor: charged.tax - credited.tax,
    }));
  }

  /** Remaining amount of the whole invoice, including tax. */
  get leftMinor(): number {
    return Number(this.left().reduce((sum, { totalMinor }) => sum + totalMinor, 0n));
  }

  /** Total tax charged on the invoice, and the part credited. */
  get tax(): { chargedMinor: number; creditedMinor: number } {
    const sum = (part: 'charged' | 'credited') =>
      Number([...this.charges.values()].reduce((all, charge) => all + charge[part].tax, 0n));
    return { chargedMinor: sum('charged'), creditedMinor: sum('credited') };
  }

  /** The tax of a credit of `price` for one tax; `price` includes the tax if `taxInclusive`. */
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
   * @throws Problem 409 `tax_mismatch` for lines with a tax that the invoice does not charge, `amount_exceeds_balance`
   * for more than the remaining amount of a tax.
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

/** Whether a step from the credited amount exceeds the charged amount. */
function exceeds(step: bigint, credited: bigint, charged: bigint): boolean {
  const after = credited + step;
  return step > 0n ? after > later(charged, 0n) : step < 0n && -after > later(-charged, 0n);
}
