import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/core';
import metadata from 'libphonenumber-js/min/metadata';
import { digitsOf, matching, partIf, type Recogniser } from './kinds.js';
import { byLabel } from './labels.js';

const ALONE = [String.raw`(?<![\w+.,]|[\w:]-)`, String.raw`(?!\w|[-.:]\w)`];
const alone = (pattern: string): RegExp => new RegExp(ALONE.join(pattern));
const GAP = String.raw`[ ().\/-]`;

/** With a country code. */
const INTERNATIONAL = new RegExp(String.raw`(?<![\w+])(?:\+ ?|00 ?)[1-9](?:${GAP}{0,3}\d){6,14}(?!\d)`);
/** In the notation of the United States and Canada. */
const NORTH_AMERICAN = alone(String.raw`\(?[2-9]\d{2}(?:\) ?|[ .-])[2-9]\d{2}[ .-]\d{4}`);
/** In groups, with the leading zero of national numbers in many countries. */
const WITH_TRUNK_ZERO = alone(
  String.raw`(?:\(0[1-9]\d{0,4}\) ?|0[1-9]\d{0,4}[ .\/-]{1,3})\d{1,8}(?:[ .\/-]\d{2,8}){0,4}`,
);
/** Anything valid in a numbering plan, but not part of a longer digit sequence; only if the country is known. */
const NATIONAL = new RegExp(
  String.raw`(?<!\d${GAP}{1,3})${ALONE[0]}(?:\(\d{2,5}\) ?|\d{2,5}${GAP}{0,3})\d{2,8}(?:[ .\/-]{1,3}\d{2,8}){0,4}${ALONE[1]}(?!${GAP}{1,3}\d)`,
);
const DAY = String.raw`(?:0?[1-9]|[12]\d|3[01])`;
const MONTH = String.raw`(?:0?[1-9]|1[0-2])`;
const DATE = new RegExp(
  String.raw`^(?:${DAY}[ .\/-]${MONTH}[ .\/-]\d{2}$|(?:${DAY}[ .\/-]${MONTH}|${MONTH}[ .\/-]${DAY})[ .\/-](?:19|20)\d{2}(?!\d)|(?:19|20)\d{2}[ .\/-]${MONTH}[ .\/-]${DAY}(?!\d))`,
);

const LABELLED = {
  words: String.raw`phone|mobile|\bmob|\btel|\bcell|\bcall|\bfax|whatsapp|telefon|\bhandy|\bmobil|t[ée]l[ée]fono?`,
  value: String.raw`[+(]{0,2}\d(?:[ ().\/-]{0,3}\d){6,14}(?!\d)`,
  fields: /phone|mobile|\b(tel|cell|fax|whatsapp|telefon|handy)\b/,
  form: /^[+(]{0,2}\d[\d ().\/-]{4,28}(?: ?(?:x|ext\.?) ?\d{1,6})?$/,
};

/** Phone numbers: with a country code, valid in the numbering plan, or with a label. */
export const phones: Recogniser = function* (text, label, { country }) {
  const isLong = (value: string) => digitsOf(value).length >= 5;
  yield* byLabel(text, label, LABELLED, (value) => isLong(value) && !DATE.test(value));
  yield* matching(text, INTERNATIONAL, partIf(isInternational));
  yield* matching(text, NORTH_AMERICAN);
  yield* matching(
    text,
    WITH_TRUNK_ZERO,
    partIf((value) => {
      const { length } = digitsOf(value);
      return length >= 8 && length <= 13 && !DATE.test(value);
    }),
  );
  if (country !== null && isCountry(country))
    yield* matching(
      text,
      NATIONAL,
      partIf((value) => looksNational(value) && isOf(country, value)),
    );
};

function isInternational(value: string): boolean {
  return parsePhoneNumberFromString(`+${digitsOf(value).replace(/^00/, '')}`, metadata)?.isPossible() ?? false;
}

/** Digits without groups or a leading zero are just as likely an amount or an id. */
function looksNational(value: string): boolean {
  const { length } = digitsOf(value);
  return length >= 7 && length <= 13 && (/\D/.test(value) || value.startsWith('0')) && !DATE.test(value);
}

function isCountry(code: string): code is CountryCode {
  return isSupportedCountry(code as CountryCode, metadata);
}

function isOf(country: CountryCode, value: string): boolean {
  return parsePhoneNumberFromString(value, country, metadata)?.isValid() ?? false;
}
