import { isEAN, isIdentityCard, isTaxId } from 'class-validator';
import { digitsOf, matching, partIf, type Recogniser } from './kinds.js';
import { byLabel } from './labels.js';

/** Excludes numbers that are parts of longer ones, of words and of ids. */
const ALONE = [String.raw`(?<![A-Za-z0-9]|[A-Za-z0-9]-)`, String.raw`(?![A-Za-z0-9]|-[A-Za-z0-9])`];

interface Form {
  pattern: RegExp;
  holds: (text: string) => boolean;
}

const form = (pattern: string, holds: Form['holds']): Form => ({
  pattern: new RegExp(ALONE.join(`(?:${pattern})`), 'i'),
  holds,
});
const compact = (text: string): string => text.replaceAll(/[ .\/-]/g, '').toUpperCase();
const taxId =
  (...locales: string[]) =>
  (text: string): boolean =>
    locales.some((locale) => isTaxId(compact(text), locale));
const identityCard =
  (...locales: string[]) =>
  (text: string): boolean =>
    locales.some((locale) => isIdentityCard(compact(text), locale as Parameters<typeof isIdentityCard>[1]));

/**
 * Forms that distinguish these numbers from others: check digits, a contained date, or values that are never issued.
 */
const FORMS: readonly Form[] = [
  // United States: social security number. Areas 000 and 666, group 00 and serial 0000 are never issued.
  form(String.raw`\d{3}-\d{2}-\d{4}|\d{3} \d{2} \d{4}`, (text) => !/^(000|666)|^\d{3}.00|0000$/.test(text)),
  // United Kingdom: national insurance number.
  form(String.raw`[a-z]{2} ?\d{2} ?\d{2} ?\d{2} ?[a-d]`, taxId('en-GB')),
  // Germany: tax id.
  form(String.raw`[1-9]\d ?\d{3} ?\d{3} ?\d{3}`, taxId('de-DE')),
  // France: NIR.
  form(String.raw`[12] ?\d{2} ?\d{2} ?\d[\dab] ?\d{3} ?\d{3} ?\d{2}`, isFrenchNumber),
  // Spain: DNI and NIE. Italy: codice fiscale. Ireland: PPS number.
  form(String.raw`(?:\d{8}|[xyz]\d{7})-?[a-z]`, identityCard('ES')),
  form(String.raw`[a-z]{6}[\da-z]{2}[a-z][\da-z]{2}[a-z][\da-z]{3}[a-z]`, taxId('it-IT')),
  form(String.raw`\d{7}[a-w][a-i]?`, taxId('en-IE')),
  // Poland, Estonia, Lithuania, Norway, Belgium: eleven digits that include a date.
  form(String.raw`\d{6} ?\d{5}|\d{2}\.?\d{2}\.?\d{2}[ -]?\d{3}[ .]?\d{2}`, (text) =>
    [taxId('pl-PL', 'et-EE', 'fr-BE'), identityCard('NO')].some((holds) => holds(text)),
  ),
  // Sweden, Denmark, Finland: a sign between date and serial number indicates the century.
  form(String.raw`(?:\d{2})?\d{6}[+-]\d{4}`, (text) => isTaxId(text, 'sv-SE') || isTaxId(text, 'dk-DK')),
  form(String.raw`\d{6}[+a-]\d{3}[\da-z]`, (text) => isTaxId(text.toUpperCase(), 'fi-FI')),
  // Czechia and Slovakia, Romania, Switzerland.
  form(String.raw`\d{6}\/\d{3,4}`, (text) => isTaxId(text, 'cs-CZ')),
  form(String.raw`[1-9]\d{12}`, taxId('ro-RO')),
  form(String.raw`756\.?\d{4}\.?\d{4}\.?\d{2}`, (text) => isEAN(compact(text))),
  // Canada: social insurance number. Brazil: CPF. India: Aadhaar. China: identity card.
  form(String.raw`\d{3}-\d{3}-\d{3}`, taxId('en-CA')),
  form(String.raw`\d{3}\.\d{3}\.\d{3}-\d{2}`, (text) => isTaxId(text, 'pt-BR')),
  form(String.raw`[2-9]\d{3}[ -]\d{4}[ -]\d{4}`, identityCard('IN')),
  form(String.raw`\d{17}[\dx]`, identityCard('zh-CN')),
];

const LABELLED = {
  words: String.raw`\bssn|social ?security|national ?insurance|national ?id|\bnino|\bnir|\bbsn|\bsin|identity ?card|id ?card|passport|sozialversicherungs\p{L}*|steuer-?id\p{L}*|personalausweis\p{L}*|reisepass\p{L}*`,
  value: String.raw`(?=[a-z .\/-]{0,8}\d)[a-z\d](?:[ .\/-]?[a-z\d]){4,20}(?![a-z\d])`,
  fields:
    /\bssn\b|social ?security|national (id|insurance)|\bnino\b|identity card|id card|passport|personal (id|number)/,
  form: /^[A-Za-z\d](?:[ .\/-]?[A-Za-z\d]){3,29}$/,
};

/** National identification numbers: in a form that can be checked, or with a label. */
export const nationalIds: Recogniser = function* (text, label) {
  yield* byLabel(text, label, LABELLED, (value) => digitsOf(value).length >= 4);
  for (const { pattern, holds } of FORMS) yield* matching(text, pattern, partIf(holds));
};

/**
 * The last two digits are 97 minus the remainder modulo 97; the departments of Corsica contain letters. `Source:`
 * INSEE, NIR.
 */
function isFrenchNumber(text: string): boolean {
  const number = compact(text).replace('2A', '19').replace('2B', '18');
  if (!/^\d{15}$/.test(number)) return false;
  return 97 - (Number(number.slice(0, 13)) % 97) === Number(number.slice(13));
}
