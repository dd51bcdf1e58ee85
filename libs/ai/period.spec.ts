import { periodEnd, periodStart } from './period.js';

it.each([
  ['day', '2026-11-21', '2026-11-21', '2026-11-22T00:00:00.000Z'],
  ['week', '2026-11-21', '2026-11-16', '2026-11-23T00:00:00.000Z'],
  ['week', '2026-11-16', '2026-11-16', '2026-11-23T00:00:00.000Z'],
  ['week', '2026-11-22', '2026-11-16', '2026-11-23T00:00:00.000Z'],
  ['month', '2026-11-30', '2026-11-01', '2026-12-01T00:00:00.000Z'],
  ['month', '2028-02-29', '2028-02-01', '2028-03-01T00:00:00.000Z'],
  ['month', '2026-12-01', '2026-12-01', '2027-01-01T00:00:00.000Z'],
] as const)('the %s of %s begins on %s and ends at %s', (period, day, start, end) => {
  expect(periodStart(period, day)).toBe(start);
  expect(periodEnd(period, day, 'UTC')).toBe(end);
});

it('periods end at midnight of the tenant, in summer and in winter', () => {
  expect(periodEnd('month', '2026-10-05', 'Europe/Berlin')).toBe('2026-10-31T23:00:00.000Z');
  expect(periodEnd('month', '2026-06-05', 'Europe/Berlin')).toBe('2026-06-30T22:00:00.000Z');
  expect(periodEnd('day', '2026-11-21', 'America/New_York')).toBe('2026-11-22T05:00:00.000Z');
});
