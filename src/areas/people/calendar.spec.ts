import { daysBetween, weekdayOf } from './calendar.js';

it('counts days over the ends of months and years', () => {
  expect(daysBetween('2026-12-31', '2027-01-01')).toBe(2);
  expect(daysBetween('2028-02-01', '2028-03-01')).toBe(30);
  expect(weekdayOf('2026-11-21')).toBe('sat');
});
