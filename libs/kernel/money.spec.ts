import fc from 'fast-check';
import { exponentOf, isCurrency, MAX_MINOR, toMajor, toMinor } from './money.js';

const CURRENCIES = ['USD', 'EUR', 'JPY', 'KWD', 'CLF', 'BIF', 'TND'];

/** A number as the exact decimal `digits / 10^scale`, computed from its shortest text with big integers. */
function decimalOf(number: number): { digits: bigint; scale: number } {
  const [coefficient = '0', power = '0'] = number.toExponential().split('e');
  const [whole = '0', fraction = ''] = coefficient.split('.');
  const scale = fraction.length - Number(power);
  const digits = BigInt(whole + fraction);
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale };
}

/** The expected result of {@link toMinor}, computed with integers only. */
function expectedMinor(major: number, currency: string): number | null {
  const { digits, scale } = decimalOf(major);
  const shifted = digits * 10n ** BigInt(exponentOf(currency));
  const divisor = 10n ** BigInt(scale);
  if (shifted % divisor !== 0n) return null;
  const minor = Number(shifted / divisor);
  return Number.isSafeInteger(minor) ? minor : null;
}

describe('toMinor', () => {
  it('agrees with exact decimal arithmetic for any number and any exponent', () => {
    const amounts = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.double({ min: 0, max: 1e15, noNaN: true }),
      fc.integer({ min: -MAX_MINOR, max: MAX_MINOR }),
      fc.tuple(fc.integer({ min: 0, max: 9_999_999_999 }), fc.integer({ min: 0, max: 6 })).map(([n, d]) => n / 10 ** d),
    );
    fc.assert(
      fc.property(amounts, fc.constantFrom(...CURRENCIES), (major, currency) => {
        const actual = toMinor(major, currency);
        const expected = expectedMinor(major, currency);
        expect(actual === null ? null : actual + 0).toBe(expected === null ? null : expected + 0);
      }),
      { numRuns: 5_000 },
    );
  });

  it.each([
    [25000, 'USD', 2_500_000],
    [0.1, 'USD', 10],
    [0.29, 'USD', 29],
    [1.005, 'USD', null],
    [1.005, 'KWD', 1_005],
    [4.35, 'EUR', 435],
    [1e21, 'JPY', null],
    [90_071_992_547_409.9, 'USD', 9_007_199_254_740_990],
    [90_071_992_547_410, 'USD', null],
    [1234, 'JPY', 1_234],
    [1234.5, 'JPY', null],
    [1e-7, 'USD', null],
    [0, 'USD', 0],
    [5e-324, 'CLF', null],
  ])('gives %d %s as %p', (major, currency, minor) => {
    expect(toMinor(major, currency)).toBe(minor);
  });
});

describe('toMajor', () => {
  it('is undone by toMinor for every amount whose major form is exact in JSON', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 99_999_999_999_999 }),
        fc.constantFrom(...CURRENCIES),
        (minor, currency) => {
          expect(toMinor(toMajor(minor, currency), currency)).toBe(minor);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('writes the decimals of the currency and no others', () => {
    expect(toMajor(1, 'USD')).toBe(0.01);
    expect(toMajor(1, 'KWD')).toBe(0.001);
    expect(toMajor(1, 'JPY')).toBe(1);
    expect(JSON.stringify(toMajor(2_500_000, 'USD'))).toBe('25000');
    expect(JSON.stringify(toMajor(29, 'USD'))).toBe('0.29');
  });
});

describe('currencies', () => {
  it('knows ISO 4217 codes in capitals and nothing else', () => {
    for (const code of ['USD', 'EUR', 'JPY', 'KWD', 'CLF', 'XCG']) expect(isCurrency(code)).toBe(true);
    for (const code of ['usd', 'US', 'USDD', 'ZZZ', '', 'toString', '__proto__']) expect(isCurrency(code)).toBe(false);
  });

  it('has the exponents of ISO 4217', () => {
    expect(CURRENCIES.map(exponentOf)).toEqual([2, 2, 0, 3, 4, 0, 3]);
  });
});
