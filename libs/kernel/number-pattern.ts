/** When a counter restarts at 1. */
export const RESETS = ['never', 'yearly', 'monthly'] as const;
export type Resets = (typeof RESETS)[number];

/** The format of document numbers, and when their counter restarts. */
export interface Numbering {
  /** Contains the counter, e.g. `{seq:5}` for five digits, and optionally `{YYYY}`, `{YY}` or `{MM}` of the date. */
  pattern: string;
  resets: Resets;
}

const TOKEN = /\{(YYYY|YY|MM|seq:[1-9])\}/g;
const LITERAL = /^[\p{L}0-9 ./_-]*$/u;
/** Placeholders for the counter and for each digit of the date. They cannot occur in literals. */
const COUNT = '#';
const DATE = { YYYY: '@@@@', YY: '~~', MM: '%%' };
const RUN = /[\d#@~%]+/g;

/** The fault of a numbering: an invalid pattern, or one that would repeat numbers. Null if it is valid. */
export function faultOf({ pattern, resets }: Numbering): string | null {
  const tokens: string[] = pattern.match(TOKEN) ?? [];
  if (!LITERAL.test(pattern.replace(TOKEN, '')) || pattern.trim() !== pattern)
    return 'Only letters, digits, spaces, the characters ./_- and {YYYY}, {YY}, {MM}, {seq:1} to {seq:9} are allowed.';
  if (new Set(tokens).size < tokens.length) return 'A placeholder in braces occurs more than once.';
  if (tokens.filter((token) => token.startsWith('{seq')).length !== 1)
    return 'The pattern needs the counter, such as {seq:5}, exactly once.';
  if (runsOf(pattern).some((run) => run.includes(COUNT) && run !== COUNT))
    return 'A letter or sign must separate the counter from other digits.';
  const hasYear = tokens.some((token) => token.startsWith('{YY'));
  if (resets !== 'never' && !hasYear) return 'A counter that restarts needs the year in the pattern.';
  if (resets === 'monthly' && !tokens.includes('{MM}'))
    return 'A counter that restarts monthly needs {MM} in the pattern.';
  return null;
}

/**
 * Whether two numberings of one series can produce the same number. If they have the same parts in the same order and
 * the same reset, one continues the other's counter.
 */
export function canCollide(one: Numbering, other: Numbering): boolean {
  const continues = digitsOf(one.pattern) === digitsOf(other.pattern) && one.resets === other.resets;
  return !continues && canRepeat(one, other);
}

/** Whether numberings of two series can produce the same number: unless a literal or a digit count differs. */
export function canRepeat(one: Pick<Numbering, 'pattern'>, other: Pick<Numbering, 'pattern'>): boolean {
  if (wordsOf(one.pattern) !== wordsOf(other.pattern)) return false;
  const others = runsOf(other.pattern);
  return !runsOf(one.pattern).some((run, index) => neverAgree(run, others[index]!));
}

/** Whether two runs of digits can never be equal: their lengths differ, or both are fixed and different. */
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

/** The text between the runs of digits. */
function wordsOf(pattern: string): string {
  return digitsOf(pattern).replace(RUN, COUNT);
}

function digitsOf(pattern: string): string {
  return pattern.replace(TOKEN, (_, token: string) => DATE[token as keyof typeof DATE] ?? COUNT);
}

/** Formats the number for a date and a counter value. */
export function numberOf(pattern: string, date: string, count: number): string {
  const [year = '', month = ''] = date.split('-');
  return pattern
    .replace('{YYYY}', year)
    .replace('{YY}', year.slice(2))
    .replace('{MM}', month)
    .replace(/\{seq:(\d)\}/, (_, digits: string) => String(count).padStart(Number(digits), '0'));
}
