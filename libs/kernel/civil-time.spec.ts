import fc from 'fast-check';
import { addDays, civilDateAt, startOfDayMs } from './civil-time.js';

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Pacific/Apia',
  'America/Sao_Paulo',
  'Asia/Beirut',
  'Pacific/Kiritimati',
  'Australia/Lord_Howe',
];
const instants = fc.integer({ min: Date.parse('1995-01-01'), max: Date.parse('2045-01-01') });

it.each([
  ['2026-11-21T23:30:00Z', 'UTC', '2026-11-21'],
  ['2026-11-21T23:30:00Z', 'Europe/Berlin', '2026-11-22'],
  ['2026-11-21T03:30:00Z', 'America/New_York', '2026-11-20'],
  ['2026-11-21T10:30:00Z', 'Pacific/Kiritimati', '2026-11-22'],
])('%s in %s is %s', (at, zone, date) => {
  expect(civilDateAt(Date.parse(at), zone)).toBe(date);
});

it.each([
  ['2026-11-21', 'UTC', '2026-11-21T00:00:00Z'],
  ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00Z'],
  ['2026-03-30', 'Europe/Berlin', '2026-03-29T22:00:00Z'],
  ['2017-10-15', 'America/Sao_Paulo', '2017-10-15T03:00:00Z'], // clocks went from 00:00 to 01:00
  ['2026-03-29', 'Asia/Beirut', '2026-03-28T22:00:00Z'], // the same
])('%s in %s begins at %s', (date, zone, at) => {
  expect(new Date(startOfDayMs(date, zone)).toISOString()).toBe(new Date(at).toISOString());
});

it('finds the first instant of every day in every zone', () => {
  fc.assert(
    fc.property(instants, fc.constantFrom(...ZONES), (ms, zone) => {
      const date = civilDateAt(ms, zone);
      const start = startOfDayMs(date, zone);
      expect(start).toBeLessThanOrEqual(ms);
      expect(civilDateAt(start, zone)).toBe(date);
      expect(civilDateAt(start - 1, zone)).not.toBe(date);
    }),
    { numRuns: 5_000 },
  );
});

it('counts days across months and years', () => {
  expect(addDays('2026-12-31', 1)).toBe('2027-01-01');
  expect(addDays('2028-02-28', 1)).toBe('2028-02-29');
  expect(addDays('2026-11-21', 30)).toBe('2026-12-21');
  expect(addDays('2026-03-01', -1)).toBe('2026-02-28');
  expect(addDays('9999-12-30', 2)).toBe('9999-12-31');
});
