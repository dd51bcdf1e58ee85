import { withoutUnseen } from './line.js';

const HYPHENS = /[\u2010-\u2015\u2212\u2043\ufe58\ufe63\uff0d\u30fc]/g;
/** Digits with the usual separators; a `+` only in front, and an extension at the end. */
const FORM = /^\+? ?[\d(][\d ()./-]*(?:(?:,? ?(?:ext\.?|extension|x|#)|;ext=) ?\d{1,7})?$/i;
const MAX_DIGITS = 25;

/** A telephone number with ASCII digits, blanks and hyphens. */
export function phoneSpelling(text: string): string {
  return withoutUnseen(text.normalize('NFKC'))
    .replace(/\p{Nd}/gu, (digit) => String(valueOf(digit)))
    .replace(HYPHENS, '-')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Whether a text is a telephone number in one of the usual forms, with or without a country. */
export function isPhone(text: string): boolean {
  const spelled = phoneSpelling(text);
  const digits = spelled.replace(/\D/g, '').length;
  return FORM.test(spelled) && digits >= 2 && digits <= MAX_DIGITS && isBalanced(spelled);
}

/** Decimal digits of a script follow each other from zero to nine. */
function valueOf(digit: string): number {
  const code = digit.codePointAt(0)!;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
  return value;
}

function isBalanced(text: string): boolean {
  return /^[^()]*(\([^()]*\)[^()]*)*$/.test(text);
}
