import { ALL_DAYS, PendingSpan } from './pending-span.js';

const NOON = Date.parse('2026-11-22T12:00:00Z');
const DAY_MS = 86_400_000;

/** An id of this time. */
function idAt(time: string): string {
  const hex = Date.parse(time).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7abc-8abc-0123456789ab`;
}

const holds = ([first, last]: readonly [string, string], id: string) => first <= id && id <= last;

it('holds yesterday, today and tomorrow, from midnight to midnight', () => {
  const span = new PendingSpan();
  span.next(true, NOON);
  const around = span.next(true, NOON + 1);
  const times = ['2026-11-21T00:00:00.000Z', '2026-11-22T12:00:00.000Z', '2026-11-23T23:59:59.999Z'];
  expect(times.map((time) => holds(around, idAt(time)))).toEqual([true, true, true]);
  const others = ['2026-11-20T23:59:59.999Z', '2026-11-24T00:00:00.000Z'];
  expect(others.map((time) => holds(around, idAt(time)))).toEqual([false, false]);
});

it('is all days at first and every five seconds, for a whole round', () => {
  const span = new PendingSpan();
  const isAll = (begins: boolean, ms: number) => span.next(begins, NOON + ms) === ALL_DAYS;
  expect(isAll(true, 0)).toBe(true);
  expect(isAll(false, 1)).toBe(true);
  expect(isAll(true, 2)).toBe(false);
  expect(isAll(false, 6_000)).toBe(false);
  expect(isAll(true, 6_001)).toBe(true);
  expect(isAll(true, 6_002)).toBe(false);
});

it('stays all days while something of another day is found', () => {
  const span = new PendingSpan();
  const isAll = (ms: number) => span.next(true, NOON + ms) === ALL_DAYS;
  expect(isAll(0)).toBe(true);
  span.found([idAt('2026-11-22T11:59:59Z'), idAt('2026-11-10T00:00:00Z')], NOON);
  span.found([idAt('2026-11-22T11:59:59Z')], NOON);
  expect(isAll(1)).toBe(true);
  span.found([idAt('2026-11-22T11:59:59Z')], NOON);
  expect(isAll(2)).toBe(false);
  expect(isAll(DAY_MS)).toBe(true);
});
