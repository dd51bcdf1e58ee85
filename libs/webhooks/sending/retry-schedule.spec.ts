import fc from 'fast-check';
import { HOUR_MS, MINUTE_MS } from '#libs/kernel/durations.js';
import { MAX_ATTEMPTS, pauseAfter, readRetryAfter } from './retry-schedule.js';

const NOW_MS = Date.parse('2026-11-21T09:15:02.114Z');

describe('the pauses between attempts', () => {
  it('grow from 5 s to a day over 15 attempts, almost five days in all', () => {
    const pauses = Array.from({ length: 14 }, (_, index) => pauseAfter(index + 1, null, 0)! / 1_000);
    expect(pauses).toEqual([
      5, 60, 300, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200, 72_000, 86_400, 86_400, 86_400,
    ]);
    expect(pauses.reduce((sum, pause) => sum + pause)).toBe((119 * 60 + 51) * 60 + 5);
    expect(MAX_ATTEMPTS).toBe(15);
    expect(pauseAfter(15, null, 0)).toBeNull();
    expect(pauseAfter(15, HOUR_MS, 0)).toBeNull();
  });

  it('get jitter added, at most a fifth and at most 15 minutes', () => {
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 14 }), random, (attempts, share) => {
        const least = pauseAfter(attempts, null, 0)!;
        const pause = pauseAfter(attempts, null, share)!;
        expect(pause).toBeGreaterThanOrEqual(least);
        expect(pause).toBeLessThanOrEqual(least + Math.min(least / 5, 15 * MINUTE_MS));
      }),
    );
  });

  it('are as long as the receiver asks for, never shorter than planned', () => {
    expect(pauseAfter(1, 2 * MINUTE_MS, 0)).toBe(2 * MINUTE_MS);
    expect(pauseAfter(6, 2 * MINUTE_MS, 0)).toBe(HOUR_MS);
  });
});

describe('Retry-After', () => {
  it('is read as seconds or as a date', () => {
    expect(readRetryAfter('120', NOW_MS)).toBe(120_000);
    expect(readRetryAfter(' 0 ', NOW_MS)).toBe(0);
    expect(readRetryAfter('Sat, 21 Nov 2026 10:15:02 GMT', NOW_MS)).toBe(HOUR_MS - 114);
    expect(readRetryAfter('Sun, 06 Nov 1994 08:49:37 GMT', NOW_MS)).toBe(0);
  });

  it('is read in the older forms of dates too', () => {
    expect(readRetryAfter('Saturday, 21-Nov-26 10:15:02 GMT', NOW_MS)).toBe(HOUR_MS - 114);
    expect(readRetryAfter('Sunday, 06-Nov-94 08:49:37 GMT', NOW_MS)).toBe(0);
    expect(readRetryAfter('Sat Nov 21 10:15:02 2026', NOW_MS)).toBe(HOUR_MS - 114);
    expect(readRetryAfter('Sun Nov  6 08:49:37 1994', NOW_MS)).toBe(0);
    const eve = Date.parse('2026-12-01T23:59:00Z');
    expect(readRetryAfter('Wed Dec  2 00:00:00 2026', eve)).toBe(MINUTE_MS);
    expect(readRetryAfter('Wednesday, 02-Dec-26 00:00:00 GMT', eve)).toBe(MINUTE_MS);
  });

  it('takes a year of two digits for the one at most 50 years ahead', () => {
    expect(readRetryAfter('Saturday, 21-Nov-76 09:15:02 GMT', NOW_MS)).toBe(24 * HOUR_MS); // 2076
    expect(readRetryAfter('Sunday, 21-Nov-76 09:15:03 GMT', NOW_MS)).toBe(0); // 1976
    expect(readRetryAfter('Tuesday, 01-Nov-77 00:00:00 GMT', NOW_MS)).toBe(0);
    const eve = Date.parse('2099-12-31T23:59:00Z');
    expect(readRetryAfter('Friday, 01-Jan-00 00:00:00 GMT', eve)).toBe(MINUTE_MS); // 2100
    expect(readRetryAfter('Thursday, 31-Dec-99 23:59:30 GMT', eve)).toBe(30_000);
  });

  it('holds for a day at most', () => {
    expect(readRetryAfter('9999999999', NOW_MS)).toBe(24 * HOUR_MS);
    expect(readRetryAfter('Wed, 21 Nov 2029 10:15:02 GMT', NOW_MS)).toBe(24 * HOUR_MS);
  });

  it.each([
    undefined,
    '',
    '-5',
    '1.5',
    '1e3',
    '12 s',
    'soon',
    '2026-11-21T10:15:02Z',
    'Sat, 21 Foo 2026 10:15:02 GMT',
    'Saturday, 21-Foo-26 10:15:02 GMT',
    'Saturday, 21-Nov-2026 10:15:02 GMT',
    'Sat, 21-Nov-26 10:15:02 GMT',
    'Saturday, 21-Nov-26 10:15:02',
    'Sat Foo 21 10:15:02 2026',
    'Sat Nov 21 10:15:02 26',
    'Sat Nov 21 10:15:02 2026 GMT',
    'Sun Nov 6 08:49:37 2026',
  ])('is ignored when it is %p', (header) => {
    expect(readRetryAfter(header, NOW_MS)).toBeNull();
  });
});
