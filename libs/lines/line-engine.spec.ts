import fc from 'fast-check';
import { type Problem } from '#libs/kernel/problem.js';
import { computeLines, type ComputedLines, type LineRules } from './line-engine.js';
import type { TaxableLine } from './taxable-line.js';

const MAX = Number.MAX_SAFE_INTEGER;

const RATES = [
  { taxRateId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20', name: 'VAT', percent: 19 },
  { taxRateId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'VAT, reduced', percent: 7.25 },
  { taxRateId: null, name: null, percent: 8.875 },
  { taxRateId: null, name: null, percent: 0 },
  null,
];
const tenThousandths = (max: number) => fc.integer({ min: 0, max: max * 10_000 }).map((n) => n / 10_000);
const signed = (arbitrary: fc.Arbitrary<number>) =>
  fc.tuple(arbitrary, fc.boolean()).map(([value, negative]) => (negative ? 0 - value : value));
const line: fc.Arbitrary<TaxableLine> = fc.record({
  description: fc.constantFrom('Consulting', 'Travel'),
  quantity: signed(fc.oneof(fc.integer({ min: 0, max: 20 }), tenThousandths(1_000))),
  unitPriceMinor: fc.oneof(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: 100_000_000 })),
  discountPercent: fc.oneof(fc.constant(0), tenThousandths(100)),
  tax: fc.constantFrom(...RATES),
});
/** Few distinct values, so that lines with the same tax often tie without being equal. */
const tied: fc.Arbitrary<TaxableLine> = fc.record({
  description: fc.constantFrom('Consulting', 'Travel'),
  quantity: fc.constantFrom(-1, -0.5, 0.5, 0.6, 1),
  unitPriceMinor: fc.constantFrom(-6, 6, 7, 12),
  discountPercent: fc.constantFrom(0, 1),
  tax: fc.constant(RATES[0]!),
});
const lines = fc.oneof(fc.array(line, { maxLength: 12 }), fc.array(tied, { maxLength: 12 }));
const rules: fc.Arbitrary<LineRules> = fc.record({
  taxInclusive: fc.boolean(),
  taxRounding: fc.constantFrom('line' as const, 'total' as const),
});
const one = (over: Partial<TaxableLine>): TaxableLine => ({
  description: 'Consulting',
  quantity: 1,
  unitPriceMinor: 10_000,
  discountPercent: 0,
  tax: null,
  ...over,
});
const vat = (percent: number) => ({ taxRateId: null, name: null, percent });
const exclusive: LineRules = { taxInclusive: false, taxRounding: 'line' };
const inclusive: LineRules = { taxInclusive: true, taxRounding: 'line' };

/** A fraction, for an independent calculation of each amount. */
type Ratio = readonly [bigint, bigint];
const decimalOf = (value: number): Ratio =>
  Number.isInteger(value) ? whole(value) : [BigInt(Math.round(value * 10_000)), 10_000n];
const times = (a: Ratio, b: Ratio): Ratio => [a[0] * b[0], a[1] * b[1]];
const whole = (value: number): Ratio => [BigInt(value), 1n];
const share = (percent: number): Ratio => times(decimalOf(percent), [1n, 100n]);

/** Whether an integer is an exact value rounded half away from zero. */
function isRounded(actual: number, [numerator, denominator]: Ratio): boolean {
  const distance = 2n * (BigInt(actual) * denominator - numerator);
  const away = numerator < 0n ? distance <= 0n : distance >= 0n;
  const magnitude = distance < 0n ? -distance : distance;
  return magnitude < denominator || (magnitude === denominator && away);
}

function taxOf(price: number, percent: number, taxInclusive: boolean): { of: (tax: number) => boolean } {
  const [part, base] = share(percent);
  return taxInclusive
    ? { of: (tax) => isRounded(price - tax, times(whole(price), [base, base + part])) }
    : { of: (tax) => isRounded(tax, times(whole(price), [part, base])) };
}

const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);
const sorted = (computed: ComputedLines) => ({
  ...computed,
  lines: computed.lines.map((each) => JSON.stringify(each)).sort(),
});
const negated = <T>(value: T): T =>
  JSON.parse(
    JSON.stringify(value, (key, member: unknown) => (key.endsWith('Minor') ? 0 - (member as number) : member)),
  ) as T;

describe('sums', () => {
  it('makes the header the sum of the lines, and the breakdown the sum of the taxed ones', () => {
    fc.assert(
      fc.property(lines, rules, (input, how) => {
        const { lines: computed, header, taxBreakdown } = computeLines(input, how);
        const of = (field: keyof (typeof computed)[number]) => sum(computed.map((each) => each[field]));
        expect(header).toEqual({
          subtotalMinor: of('grossMinor'),
          discountMinor: of('discountMinor'),
          netMinor: of('netMinor'),
          taxMinor: of('taxMinor'),
          totalMinor: of('totalMinor'),
        });
        expect(sum(taxBreakdown.map((each) => each.taxMinor))).toBe(header.taxMinor);
        const taxed = computed.filter((_, index) => input[index]!.tax !== null);
        expect(sum(taxBreakdown.map((each) => each.baseMinor))).toBe(sum(taxed.map((each) => each.netMinor)));
        for (const each of [...computed, { ...header, grossMinor: header.subtotalMinor }]) {
          expect(each.netMinor + each.taxMinor).toBe(each.totalMinor);
          expect(each.grossMinor - each.discountMinor).toBe(how.taxInclusive ? each.totalMinor : each.netMinor);
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it('gives nothing but zeros for no lines', () => {
    expect(computeLines([], exclusive)).toEqual({
      lines: [],
      header: { subtotalMinor: 0, discountMinor: 0, netMinor: 0, taxMinor: 0, totalMinor: 0 },
      taxBreakdown: [],
    });
  });
});

describe('exactness', () => {
  it('rounds each amount of a line once, half away from zero', () => {
    fc.assert(
      fc.property(lines, fc.boolean(), (input, taxInclusive) => {
        const computed = computeLines(input, { taxInclusive, taxRounding: 'line' }).lines;
        input.forEach(({ quantity, unitPriceMinor, discountPercent, tax }, index) => {
          const { grossMinor, discountMinor, taxMinor } = computed[index]!;
          expect(isRounded(grossMinor, times(decimalOf(quantity), whole(unitPriceMinor)))).toBe(true);
          expect(isRounded(discountMinor, times(whole(grossMinor), share(discountPercent)))).toBe(true);
          const expected = taxOf(grossMinor - discountMinor, tax?.percent ?? 0, taxInclusive);
          expect(expected.of(taxMinor)).toBe(true);
        });
      }),
      { numRuns: 3_000 },
    );
  });

  it('rounds the tax of each rate once where the total is rounded, and changes one line of it', () => {
    fc.assert(
      fc.property(lines, fc.boolean(), (input, taxInclusive) => {
        const each = computeLines(input, { taxInclusive, taxRounding: 'line' });
        const total = computeLines(input, { taxInclusive, taxRounding: 'total' });
        for (const { baseMinor, taxMinor, percent } of total.taxBreakdown)
          expect(taxOf(taxInclusive ? baseMinor + taxMinor : baseMinor, percent, taxInclusive).of(taxMinor)).toBe(true);
        for (const [index, { tax }] of input.entries()) if (!tax) expect(total.lines[index]).toEqual(each.lines[index]);
        const changed = input.filter((_, index) => total.lines[index]!.taxMinor !== each.lines[index]!.taxMinor);
        expect(new Set(changed.map(({ tax }) => tax)).size).toBe(changed.length);
      }),
      { numRuns: 3_000 },
    );
  });

  it.each([
    ['a price that binary floats round down', one({ quantity: 1.005, unitPriceMinor: 1_000 }), { grossMinor: 1_005 }],
    ['a half up', one({ quantity: 0.5, unitPriceMinor: 3 }), { grossMinor: 2 }],
    ['a half down below zero', one({ quantity: -0.5, unitPriceMinor: 3 }), { grossMinor: -2 }],
    [
      'a product past 2^53',
      one({ quantity: 3, unitPriceMinor: 3_000_000_000_000_001 }),
      { grossMinor: 9_000_000_000_000_003 },
    ],
    ['a tenth of a ten-thousandth', one({ quantity: 0.0001, unitPriceMinor: 50_000 }), { grossMinor: 5 }],
    ['a small quantity in exponent form', one({ quantity: 1e-4, unitPriceMinor: 10_000 }), { grossMinor: 1 }],
    ['a discount of a third', one({ discountPercent: 33.3333 }), { discountMinor: 3_333, netMinor: 6_667 }],
    ['a tax of many decimals', one({ unitPriceMinor: 1_999, tax: vat(8.875) }), { taxMinor: 177, totalMinor: 2_176 }],
  ])('works out %s', (_, input, expected) => {
    expect(computeLines([input], exclusive).lines[0]).toMatchObject(expected);
  });

  it('takes the tax out of a price that includes it', () => {
    const { lines: computed, header } = computeLines([one({ unitPriceMinor: 11_900, tax: vat(19) })], inclusive);
    expect(computed[0]).toEqual({
      grossMinor: 11_900,
      discountMinor: 0,
      netMinor: 10_000,
      taxMinor: 1_900,
      totalMinor: 11_900,
    });
    expect(header.subtotalMinor).toBe(11_900);
  });

  it('gives the difference of a rate to its largest line', () => {
    const small = one({ unitPriceMinor: 3, tax: vat(20) }); // 0.6, rounded to 1
    const large = one({ unitPriceMinor: 8, tax: vat(20) }); // 1.6, rounded to 2
    const { lines: computed, header } = computeLines([small, large, small], {
      taxInclusive: false,
      taxRounding: 'total',
    });
    expect(computed.map((each) => each.taxMinor)).toEqual([1, 1, 1]);
    expect(header.taxMinor).toBe(3); // 20 % of 14
  });
});

describe('order and sign', () => {
  it('does not depend on the order of the lines', () => {
    const shuffled = lines.chain((input) =>
      fc.tuple(fc.constant(input), fc.shuffledSubarray(input, { minLength: input.length, maxLength: input.length })),
    );
    fc.assert(
      fc.property(shuffled, rules, ([input, other], how) => {
        expect(sorted(computeLines(other, how))).toEqual(sorted(computeLines(input, how)));
      }),
      { numRuns: 3_000 },
    );
  });

  it('gives each line the same amounts wherever it stands', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.oneof(line, tied), { maxLength: 8, selector: (each) => JSON.stringify(each) }),
        rules,
        (input, how) => {
          const forwards = computeLines(input, how).lines;
          const backwards = computeLines([...input].reverse(), how).lines.reverse();
          expect(backwards).toEqual(forwards);
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it('negates every amount when every quantity is negated', () => {
    fc.assert(
      fc.property(lines, rules, (input, how) => {
        const mirrored = input.map((each) => ({ ...each, quantity: 0 - each.quantity }));
        expect(computeLines(mirrored, how)).toEqual(negated(computeLines(input, how)));
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('limits', () => {
  const refusal = (input: TaxableLine[], how: LineRules = exclusive) => {
    try {
      computeLines(input, how);
    } catch (error) {
      return (error as Problem).more.errors?.map(({ pointer, code }) => `${pointer} ${code}`);
    }
    return null;
  };

  it('reaches both ends of the exact range', () => {
    expect(computeLines([one({ unitPriceMinor: MAX })], exclusive).header.totalMinor).toBe(MAX);
    expect(computeLines([one({ unitPriceMinor: -MAX })], exclusive).header.totalMinor).toBe(-MAX);
  });

  it.each([
    ['a line', [one({}), one({ unitPriceMinor: MAX, quantity: 2 })], '/lineItems/1 out_of_range'],
    ['a tax', [one({ unitPriceMinor: MAX, tax: vat(0.0001) })], '/lineItems/0 out_of_range'],
    ['the sum', [one({ unitPriceMinor: MAX }), one({ unitPriceMinor: 1 })], '/lineItems out_of_range'],
    [
      'the base of one tax',
      [
        one({ unitPriceMinor: MAX, tax: vat(0) }),
        one({ unitPriceMinor: 1, tax: vat(0) }),
        one({ unitPriceMinor: -MAX }),
      ],
      '/lineItems out_of_range',
    ],
    ['a quantity with five decimals', [one({ quantity: 0.00001 })], '/lineItems/0/quantity out_of_range'],
    ['a quantity that is no number', [one({ quantity: NaN })], '/lineItems/0/quantity out_of_range'],
    ['a fraction of a minor unit', [one({ unitPriceMinor: 0.5 })], '/lineItems/0/unitPriceMinor out_of_range'],
    ['a price past 2^53', [one({ unitPriceMinor: 2 ** 53 })], '/lineItems/0/unitPriceMinor out_of_range'],
    ['a discount with five decimals', [one({ discountPercent: 1.00001 })], '/lineItems/0/discountPercent out_of_range'],
    ['a tax with five decimals', [one({ tax: vat(1.00001) })], '/lineItems/0/taxPercent out_of_range'],
  ])('refuses %s that JSON cannot carry exactly', (_, input, expected) => {
    expect(refusal(input)).toEqual([expected]);
  });

  it('takes sums that are in range although sums on the way are not', () => {
    const input = [one({ unitPriceMinor: MAX }), one({ unitPriceMinor: MAX }), one({ unitPriceMinor: -MAX })];
    expect(computeLines(input, exclusive).header.totalMinor).toBe(MAX);
  });

  it('is right or refuses for any numbers at all', () => {
    const wild = fc.record({
      description: fc.constant('x'),
      quantity: fc.double(),
      unitPriceMinor: fc.oneof(fc.double(), fc.maxSafeInteger()),
      discountPercent: fc.double({ min: 0, max: 100 }),
      tax: fc.constantFrom(...RATES),
    });
    const huge = fc.record({
      description: fc.constant('x'),
      quantity: fc.integer({ min: -999_999_999, max: 999_999_999 }),
      unitPriceMinor: fc.maxSafeInteger(),
      discountPercent: tenThousandths(100),
      tax: fc.constantFrom(...RATES),
    });
    fc.assert(
      fc.property(fc.array(fc.oneof(wild, huge, line), { minLength: 1, maxLength: 4 }), rules, (input, how) => {
        let computed: ComputedLines;
        try {
          computed = computeLines(input, how);
        } catch (error) {
          expect((error as Problem).code).toBe('validation_failed');
          return;
        }
        const numbers = [computed.header, ...computed.lines].flatMap((each) => Object.values(each) as number[]);
        expect(numbers.every((each) => Number.isSafeInteger(each) && !Object.is(each, -0))).toBe(true);
        input.forEach(({ quantity, unitPriceMinor }, index) => {
          const gross = times(decimalOf(quantity), whole(unitPriceMinor));
          expect(isRounded(computed.lines[index]!.grossMinor, gross)).toBe(true);
        });
      }),
      { numRuns: 3_000 },
    );
  });
});
