/**
 * Values that are recognized by their form. Every pattern takes linear time: repetitions are bounded, and no two
 * adjacent ones can match the same characters.
 */
const EMAIL = /\[EMAIL_\d{1,9}\]|(?<![\w.%+-])[\w.%+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}/gi;
const WEB_ADDRESS = /https?:\/\/[^\s<>"')\]]{1,2000}/gi;
const MASKED_PHONE = /\[PHONE_\d{1,9}\]/g;
const PHONE = /(?<![\w+])\+?\(?\d{1,15}\)?(?:[ ./-]{1,2}\(?\d{1,15}\)?|\(\d{1,5}\)){0,7}(?!\w)/g;
const NUMBER = /(?<![\w.,])-?\d{1,15}(?:[.,'\u00a0\u202f]\d{1,6}){0,5}(?!\w)/g;
const ISO_DATE = /(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)/g;
const DAY_FIRST = /(?<!\d)(\d{1,2})[./](\d{1,2})[./](\d{4})(?!\d)/g;
const NAMED_DATE =
  /(?<!\w)(?:(\d{1,2})(?:st|nd|rd|th)?\.? {1,2}(?:de |of )?(\p{L}{3,12})\.?,? {1,2}(?:de )?(\d{4})|(\p{L}{3,12})\.? {1,2}(\d{1,2})(?:st|nd|rd|th)?,? {1,2}(\d{4}))/gu;
const CURRENCY = '€|\\$|£|¥|EUR|USD|GBP|CHF|JPY|CAD|AUD|SEK|NOK|DKK|PLN|CZK|BRL|INR|CNY|MXN';
const AMOUNT = new RegExp(
  `(?:(${CURRENCY}) {0,2})(-?\\d[\\d.,']{0,18})|(?<![\\d.,'])(-?\\d[\\d.,']{0,18}) {0,2}(${CURRENCY})(?!\\w)`,
  'g',
);
const SIGNS: Record<string, string> = { '€': 'EUR', $: 'USD', '£': 'GBP', '¥': 'JPY' };

/** First letters of the months in several languages, folded. */
const MONTHS = [
  'jan|gen|ene',
  'feb|fev|fév',
  'mar|mär|maer|mrt',
  'apr|avr|abr',
  'may|mai|mei|mag',
  'jun|juin|giu',
  'jul|juil|lug',
  'aug|aou|aoû|ago',
  'sep|set',
  'oct|okt|out|ott',
  'nov',
  'dec|dez|dic|déc',
].map((names) => new RegExp(`^(?:${names})`, 'i'));

// Placeholders such as `[EMAIL_1]` count as values, because they are replaced by the original data in the response.
export const emailsIn = (text: string): string[] =>
  [...text.matchAll(EMAIL)].map(([found]) => found.replace(/[.-]+$/, ''));
export const urlsIn = (text: string): string[] =>
  [...text.matchAll(WEB_ADDRESS)].map(([found]) => found.replace(/[.,;:!?]+$/, ''));
export const phonesIn = (text: string): string[] => [
  ...[...text.matchAll(MASKED_PHONE)].map(([found]) => found),
  ...[...text.matchAll(PHONE)].map(([found]) => found.trim()).filter((found) => isPhone(found)),
];
export const numbersIn = (text: string): number[] =>
  [...text.matchAll(NUMBER)].flatMap(([found]) => {
    const value = numberOf(found);
    return value === null ? [] : [value];
  });

/** Dates as `YYYY-MM-DD`, in the order of the text. In numeric dates the day comes first, unless that is impossible. */
export function datesIn(text: string): string[] {
  const found: { at: number; date: string | null }[] = [];
  for (const match of text.matchAll(ISO_DATE))
    found.push({ at: match.index, date: dateOf(match[1]!, match[2]!, match[3]!) });
  for (const match of text.matchAll(DAY_FIRST))
    found.push({
      at: match.index,
      date: dateOf(match[3]!, match[2]!, match[1]!) ?? dateOf(match[3]!, match[1]!, match[2]!),
    });
  for (const match of text.matchAll(NAMED_DATE)) {
    const [, day = match[5]!, month = match[4]!, year = match[6]!] = match;
    const number = MONTHS.findIndex((names) => names.test(month)) + 1;
    found.push({ at: match.index, date: number === 0 ? null : dateOf(year, String(number), day) });
  }
  return found.sort((a, b) => a.at - b.at).flatMap(({ date }) => date ?? []);
}

export function amountsIn(text: string): { value: number; currency: string | null }[] {
  return [...text.matchAll(AMOUNT)].flatMap(([, before, first, second, behind]) => {
    const value = numberOf((first ?? second)!.replace(/[.,']+$/, ''));
    const unit = (before ?? behind)!;
    return value === null ? [] : [{ value, currency: SIGNS[unit] ?? unit }];
  });
}

/**
 * Parses a number in any common notation. The decimal separator is the last of two different separators, or one that is
 * not followed by exactly three digits.
 */
export function numberOf(text: string): number | null {
  const bare = text.trim().replace(/['\s]/g, '');
  const last = Math.max(bare.lastIndexOf('.'), bare.lastIndexOf(','));
  const separators = bare.replace(/[^.,]/g, '');
  const behind = bare.length - last - 1;
  const isDecimal = last !== -1 && (new Set(separators).size > 1 || (separators.length === 1 && behind !== 3));
  const whole = (isDecimal ? bare.slice(0, last) : bare).replace(/[.,]/g, '');
  const value = Number(isDecimal ? `${whole}.${bare.slice(last + 1)}` : whole);
  return whole !== '' && Number.isFinite(value) ? value : null;
}

function isPhone(text: string): boolean {
  const digits = text.replace(/\D/g, '').length;
  return digits >= 7 && digits <= 15 && !/^\d{4}-\d{2}-\d{2}/.test(text) && !/^\d{1,2}[./]\d{1,2}[./]\d{4}$/.test(text);
}

function dateOf(year: string, month: string, day: string): string | null {
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const parsed = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(date) ? date : null;
}
