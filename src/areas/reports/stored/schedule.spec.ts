import fc from 'fast-check';
import { civilDateAt } from '#libs/kernel/civil-time.js';
import { nextRunMs, type StoredSchedule } from './schedule.js';

const daily: StoredSchedule = {
  frequency: 'daily',
  time: '02:30',
  weekday: null,
  dayOfMonth: null,
  timeZone: 'Europe/Berlin',
  recipientIds: [],
  format: 'csv',
};
const next = (schedule: Partial<StoredSchedule>, after: string) =>
  new Date(nextRunMs({ ...daily, ...schedule }, Date.parse(after))).toISOString();

it.each([
  [{}, '2026-11-21T00:00:00Z', '2026-11-21T01:30:00.000Z'],
  [{}, '2026-11-21T01:30:00Z', '2026-11-22T01:30:00.000Z'],
  [{}, '2026-03-28T12:00:00Z', '2026-03-29T01:30:00.000Z'], // the clocks skip 02:30 and show 03:30
  [{}, '2026-10-24T12:00:00Z', '2026-10-25T00:30:00.000Z'], // the clocks show 02:30 twice
  [{}, '2026-10-25T00:30:00Z', '2026-10-26T01:30:00.000Z'],
  [{ frequency: 'weekly', weekday: 'mon' }, '2026-11-21T00:00:00Z', '2026-11-23T01:30:00.000Z'],
  [{ frequency: 'monthly', dayOfMonth: 31 }, '2026-11-21T00:00:00Z', '2026-11-30T01:30:00.000Z'],
  [{ frequency: 'monthly', dayOfMonth: 31 }, '2027-02-01T00:00:00Z', '2027-02-28T01:30:00.000Z'],
  [{ frequency: 'monthly', dayOfMonth: 1 }, '2026-11-01T02:00:00Z', '2026-12-01T01:30:00.000Z'],
] as const)('after %j at %s comes %s', (schedule, after, expected) => {
  expect(next(schedule, after)).toBe(expected);
});

it('runs once on every day of every time zone', () => {
  const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Beirut', 'America/Sao_Paulo', 'UTC'];
  fc.assert(
    fc.property(
      fc.integer({ min: Date.parse('2000-01-01'), max: Date.parse('2040-01-01') }),
      fc.constantFrom(...zones),
      fc.integer({ min: 0, max: 23 }),
      fc.constantFrom('00', '30'),
      (start, timeZone, hour, minute) => {
        const schedule = { ...daily, timeZone, time: `${String(hour).padStart(2, '0')}:${minute}` };
        let at = start;
        const days: string[] = [];
        for (let i = 0; i < 5; i++) days.push(civilDateAt((at = nextRunMs(schedule, at)), timeZone));
        expect(new Set(days).size).toBe(5);
        expect(at - start).toBeLessThanOrEqual(5 * 86_400_000 + 2 * 3_600_000);
      },
    ),
    { numRuns: 2_000 },
  );
});
