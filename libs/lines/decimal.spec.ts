import fc from 'fast-check';
import { decimal, fromTenThousandths, percentage, toTenThousandths } from './decimal.js';

describe('ten-thousandths', () => {
  it.each([
    [0, 0n],
    [7.5, 75_000n],
    [-7.5, -75_000n],
    [1e-4, 1n],
    [0.0003, 3n],
    [1e21, 10n ** 25n],
    [0.00001, null],
    [1e-7, null],
    [0.1 + 0.2, null],
    [NaN, null],
    [Infinity, null],
  ])('reads %d as %p', (value, expected) => {
    expect(toTenThousandths(value)).toBe(expected);
  });

  it('come back as the number that was read', () => {
    fc.assert(
      fc.property(fc.integer({ min: -9_999_999_999_999, max: 9_999_999_999_999 }), (scaled) => {
        const value = fromTenThousandths(scaled);
        expect(Number(toTenThousandths(value))).toBe(scaled + 0);
        expect(toTenThousandths(Number(JSON.stringify(value)))).toBe(BigInt(scaled));
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('fields', () => {
  const codes = (value: unknown) =>
    percentage()
      .check(value)
      .map(({ code }) => code);

  it.each([
    [0, []],
    [100, []],
    [33.3333, []],
    [33.33333, ['too_many_decimals']],
    [-0.0001, ['out_of_range']],
    [100.0001, ['out_of_range']],
    ['7', ['invalid_type']],
    [NaN, ['invalid_type']],
  ])('percent %p: %p', (value, expected) => {
    expect(codes(value)).toEqual(expected);
  });

  it('reads the text of a query', () => {
    expect(decimal({ min: 0, max: 10 }).parse('2.5')).toBe(2.5);
    expect(decimal({ min: 0, max: 10 }).parse('2,5')).toBeUndefined();
  });
});
