import { isIBAN } from 'class-validator';
import { matching, type Recogniser, type Span } from './kinds.js';

/** Prefixes and lengths of card numbers. `Source:` ISO/IEC 7812-1, ranges as published by the card schemes. */
const ISSUERS: readonly [start: RegExp, lengths: readonly number[]][] = [
  [/^4/, [13, 16, 18, 19]],
  [/^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]],
  [/^3[47]/, [15]],
  [/^(30[0-5]|3[689])/, [14, 15, 16, 17, 18, 19]],
  [/^(6011|64[4-9]|65|62|81|35(2[89]|[3-8]))/, [16, 17, 18, 19]],
  [/^(50|5[6-9]|6)/, [13, 14, 15, 16, 17, 18, 19]],
];
const MAX_DIGITS = 19;
const DIGIT_GROUP = /\d{1,60}/g;

/** Payment cards: of a known issuer, with a valid check digit, in one piece or in groups. */
export const paymentCards: Recogniser = function* (text) {
  const groups = [...text.matchAll(DIGIT_GROUP)].map(({ index, 0: digits }) => ({ index, digits }));
  for (let first = 0; first < groups.length; first++) {
    const last = endOfCard(text, groups, first);
    if (last === null) continue;
    const { index, digits } = groups[last]!;
    yield { start: groups[first]!.index, end: index + digits.length };
    first = last;
  }
};

interface Group {
  index: number;
  digits: string;
}

/** The last of the groups that form a card number together, starting with the first. */
function endOfCard(text: string, groups: readonly Group[], first: number): number | null {
  let digits = '';
  const isSpelled = groups[first]!.digits.length === 1;
  let found: number | null = null;
  for (let at = first; at < groups.length; at++) {
    const group = groups[at]!;
    if (at > first && !isJoined(text, groups[at - 1]!, group)) break;
    digits += group.digits;
    if (digits.length > MAX_DIGITS) break;
    if (isCard(digits)) found = at;
    // Columns of figures are not cards: card numbers are written in groups of three or more digits, or digit by digit.
    if (isSpelled ? group.digits.length > 1 : group.digits.length < 3) break;
  }
  return found;
}

function isJoined(text: string, before: Group, after: Group): boolean {
  const gap = text.slice(before.index + before.digits.length, after.index);
  return gap === ' ' || gap === '-' || gap === '.';
}

function isCard(digits: string): boolean {
  return (
    ISSUERS.some(([start, lengths]) => lengths.includes(digits.length) && start.test(digits)) && passesLuhn(digits)
  );
}

/** `Source:` ISO/IEC 7812-1, annex B. */
function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits.at(-1 - at));
    const weighed = at % 2 === 1 ? digit * 2 : digit;
    sum += weighed > 9 ? weighed - 9 : weighed;
  }
  return sum % 10 === 0;
}

const IBAN = /(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){11,30}/;
const SHORTEST_IBAN = 15;

/** IBANs: of a country that uses them, with its length, and with valid check digits. `Source:` ISO 13616-1. */
export const ibans: Recogniser = (text) => matching(text, IBAN, (match) => ibanAt(text, match));

/**
 * Text after an IBAN may look like a part of it, so this finds the longest valid prefix that ends at the end of a word.
 */
function ibanAt(text: string, { index: start, 0: candidate }: RegExpExecArray): Span | null {
  for (let length = candidate.length; length >= SHORTEST_IBAN; length--)
    if (!/[A-Za-z0-9]/.test(text[start + length] ?? '') && isIBAN(candidate.slice(0, length)))
      return { start, end: start + length };
  return null;
}
