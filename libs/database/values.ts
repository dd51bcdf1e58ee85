import pg from 'pg';

const TIMESTAMPTZ = 1184;
const DATE = 1082;
const TEXT = 25;
const INT8 = 20;
const JSON_TYPE = 114;
const JSONB = 3802;

/** PostgreSQL's ISO output in UTC (`2026-11-21 09:15:02.1+00`) as RFC 3339 with milliseconds (`2026-11-21T09:15:02.100Z`). */
export function toInstant(text: string): string {
  const fraction = text.length > 22 && text[19] === '.' ? text.slice(20, text.indexOf('+', 20)) : '';
  const millis = fraction.length >= 3 ? fraction.slice(0, 3) : fraction.padEnd(3, '0');
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${millis}Z`;
}

function toSafeInteger(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new Error(`The integer ${text} does not fit the JSON number range.`);
  return number;
}

function deepFreeze(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}

const MAX_CACHED = 2_000;
const parsed = new Map<string, unknown>();

/** Short JSON values repeat from row to row (`createdBy`), so they are parsed once, frozen and shared. */
function parseJson(text: string): unknown {
  if (text.length > 200) return JSON.parse(text);
  let value = parsed.get(text);
  if (value === undefined) {
    value = deepFreeze(JSON.parse(text));
    if (parsed.size >= MAX_CACHED) parsed.clear();
    parsed.set(text, value);
  }
  return value;
}

const asItIs = (text: string): string => text;
/** The default parser of `pg`, for texts and unknown types. */
const PLAIN = pg.types.getTypeParser(TEXT, 'text') as (text: string) => unknown;

/**
 * How column values are parsed: timestamps as RFC 3339 text, dates as text, bigint as a number (an error outside
 * ±2^53), JSON parsed and frozen, all others as in `pg`. Connections use `TimeZone=UTC` and `DateStyle=ISO`.
 */
const PARSERS = new Map<number, (text: string) => unknown>([
  [TIMESTAMPTZ, toInstant],
  [DATE, asItIs],
  [INT8, toSafeInteger],
  [JSON_TYPE, parseJson],
  [JSONB, parseJson],
]);

/** The parser of a column type, by its oid; null if the text itself is the value. */
export function parserOf(oid: number): ((text: string) => unknown) | null {
  const parser = PARSERS.get(oid) ?? (pg.types.getTypeParser(oid, 'text') as (text: string) => unknown);
  return parser === asItIs || parser === PLAIN ? null : parser;
}
