/** When a count restarts at 1. */
export const RESETS = ['never', 'yearly', 'monthly'] as const;
export type Resets = (typeof RESETS)[number];

/** How numbers are written, and when their count restarts. */
export interface Numbering {
  /** May contain `{YYYY}`, `{YY}`, `{MM}` of the document's date and has `{seq:5}`, the count padded to five digits. */
  pattern: string;
  resets: Resets;
}

const TOKEN = /\{(YYYY|YY|MM|seq:[1-9])\}/g;
const LITERAL = /^[A-Za-z0-9 ./_-]*$/;
/** Signs that no literal has stand for the count, and for each digit of the date. */
const COUNT = '#';
const DATE = { YYYY: '@@@@', YY: '~~', MM: '%%' };
const RUN = /[\d#@~%]+/g;

/** What is wrong with a numbering: it is no pattern, or would repeat numbers. Null if it is fine. */
export function faultOf({ pattern, resets }: Numbering): string | null {
  const tokens: string[] = pattern.match(TOKEN) ?? [];
  if (!LITERAL.test(pattern.replace(TOKEN, '')) || pattern.trim() !== pattern)
    return 'It consists of letters, digits, spaces, the signs ./_- and {YYYY}, {YY}, {MM} and {seq:1} to {seq:9}.';
  if (new Set(tokens).size < tokens.length) return 'It has a part in braces more than once.';
  if (tokens.filter((token) => token.startsWith('{seq')).length !== 1)
    return 'It needs the count, such as {seq:5}, once.';
  if (runsOf(pattern).some((run) => run.includes(COUNT) && run !== COUNT))
    return 'The count has to stand apart from other digits, with a letter or a sign between.';
  const hasYear = tokens.some((token) => token.startsWith('{YY'));
  if (resets !== 'never' && !hasYear) return 'A count that restarts needs the year in the pattern.';
  if (resets === 'monthly' && !tokens.includes('{MM}')) return 'A count that restarts monthly needs {MM}.';
  return null;
}

/**
 * Whether two numberings of one series can give a number twice. Those that write the same parts in the same order go on
 * counting where the other has stopped, as long as they restart alike; otherwise words or digits have to differ.
 */
export function canCollide(one: Numbering, other: Numbering): boolean {
  if (wordsOf(one.pattern) !== wordsOf(other.pattern)) return false;
  const others = runsOf(other.pattern);
  const pairs = runsOf(one.pattern).map((run, index) => [run, others[index]!] as const);
  if (pairs.every(([a, b]) => a === b)) return one.resets !== other.resets;
  return !pairs.some(([a, b]) => neverAgree(a, b));
}

/** Whether two runs of digits never read the same: they have other lengths, or are fixed and differ. */
function neverAgree(one: string, other: string): boolean {
  if (one === COUNT || other === COUNT) return false;
  return one.length !== other.length || (isFixed(one) && isFixed(other) && one !== other);
}

function isFixed(run: string): boolean {
  return /^\d+$/.test(run);
}

/** The runs of digits in a number. */
function runsOf(pattern: string): string[] {
  return digitsOf(pattern).match(RUN) ?? [];
}

/** What stands between them. */
function wordsOf(pattern: string): string {
  return digitsOf(pattern).replace(RUN, COUNT);
}

function digitsOf(pattern: string): string {
  return pattern.replace(TOKEN, (_, token: string) => DATE[token as keyof typeof DATE] ?? COUNT);
}

/** The number for a date and a count, according to the pattern. */
export function numberOf(pattern: string, date: string, count: number): string {
  const [year = '', month = ''] = date.split('-');
  return pattern
    .replace('{YYYY}', year)
    .replace('{YY}', year.slice(2))
    .replace('{MM}', month)
    .replace(/\{seq:(\d)\}/, (_, digits: string) => String(count).padStart(Number(digits), '0'));
}
