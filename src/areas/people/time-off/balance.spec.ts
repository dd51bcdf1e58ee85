import type { Terms } from '../policies/time-off-policy.queries.js';
import { accruedIn, balanceOf, type Booked } from './balance.js';

const yearly: Terms = {
  type: 'vacation',
  accrual: 'yearly',
  halfDaysPerYear: 48,
  carryOverHalfDays: 10,
  negativeHalfDays: 0,
  sinceYear: 2024,
};
const monthly: Terms = { ...yearly, accrual: 'monthly' };
const booked = (...years: [number, number][]): Map<number, Booked> =>
  new Map(years.map(([year, count]) => [year, { booked: count, released: 0, used: 0 }]));

describe('what a year gives', () => {
  it.each([
    [yearly, null, '2026-01-01', 48],
    [yearly, '2026-07-01', '2026-01-01', 24],
    [yearly, '2026-12-31', '2026-12-31', 4],
    [yearly, '2027-01-01', '2026-12-31', 0],
    [yearly, null, '2025-12-31', 0],
    [monthly, null, '2026-01-01', 4],
    [monthly, null, '2026-11-30', 44],
    [monthly, null, '2027-03-01', 48],
    [monthly, '2026-10-15', '2026-11-30', 8],
    [monthly, '2026-10-15', '2026-09-30', 0],
    [{ ...monthly, halfDaysPerYear: 50 }, null, '2026-01-31', 4],
  ])('%j from %s is until %s %d half days in 2026', (terms, startDate, until, expected) => {
    expect(accruedIn(terms, startDate, 2026, until)).toBe(expected);
  });
});

describe('what goes over', () => {
  it('is what is left, up to the limit, from the first year on', () => {
    expect(balanceOf(yearly, null, booked(), 2024, '2026-06-01').carriedOver).toBe(0);
    expect(balanceOf(yearly, null, booked([2024, 44]), 2025, '2026-06-01').carriedOver).toBe(4);
    expect(balanceOf(yearly, null, booked([2024, 20]), 2025, '2026-06-01').carriedOver).toBe(10);
    expect(balanceOf(yearly, '2026-01-01', booked(), 2026, '2026-06-01').carriedOver).toBe(0);
  });

  it('is debt as a whole, which later years pay', () => {
    const debt = booked([2024, 60]);
    expect(balanceOf(yearly, null, debt, 2025, '2026-06-01')).toMatchObject({ carriedOver: -12, available: 36 });
    expect(balanceOf(yearly, null, debt, 2026, '2026-06-01')).toMatchObject({ carriedOver: 10, available: 58 });
  });
});

it('gives back what was released, and counts what is used once', () => {
  const ledger = new Map([[2026, { booked: 20, released: 6, used: 8 }]]);
  expect(balanceOf(yearly, '2026-01-01', ledger, 2026, '2026-06-01')).toEqual({
    carriedOver: 0,
    accrued: 48,
    used: 8,
    planned: 6,
    available: 34,
  });
  expect(balanceOf(null, null, ledger, 2026, '2026-06-01')).toMatchObject({ used: 8, planned: 6, available: null });
});
