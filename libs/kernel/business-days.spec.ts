import { BusinessDays } from './business-days.js';

const CHRISTMAS = ['2026-12-25', '2027-01-01'];

describe('business days', () => {
  const days = new BusinessDays([1, 2, 3, 4, 5], CHRISTMAS);

  it.each([
    ['2026-12-23', 0, '2026-12-23'],
    ['2026-12-23', 1, '2026-12-24'],
    ['2026-12-23', 2, '2026-12-28'],
    ['2026-12-25', 0, '2026-12-28'],
    ['2026-12-26', 1, '2026-12-28'],
    ['2026-12-28', -1, '2026-12-24'],
    ['2026-12-27', -2, '2026-12-23'],
    ['2026-12-23', 7, '2027-01-05'],
  ])('%s plus %d is %s', (from, count, to) => {
    expect(days.add(from, count)).toBe(to);
  });

  it('counts the days between two dates in both directions', () => {
    expect(days.between('2026-12-23', '2026-12-28')).toBe(2);
    expect(days.between('2026-12-28', '2026-12-23')).toBe(-2);
    expect(days.between('2026-12-23', '2026-12-23')).toBe(0);
  });

  it('follows the weekdays of a calendar', () => {
    const weekend = new BusinessDays([6, 7]);
    expect(weekend.add('2026-12-23', 1)).toBe('2026-12-26');
    expect(new BusinessDays().isBusinessDay('2026-12-26')).toBe(false);
  });
});
