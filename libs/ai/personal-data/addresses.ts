import { isIPv4, isIPv6 } from 'node:net';
import { matching, partIf, type Recogniser, type Span } from './kinds.js';

const MAX_LOCAL = 64;
const MAX_DOMAIN = 255;
const LOCAL = /[\p{L}\p{N}\p{M}._%+'~-]/u;
const DOMAIN = /[\p{L}\p{N}\p{M}.-]/u;
/** The last label of a DNS name: letters, or a Punycode label. */
const TOP_LEVEL = /^(\p{L}[\p{L}\p{M}]{1,62}|xn--[a-z\d-]{1,59})$/iu;

/** E-mail addresses, international ones too. `Source:` RFC 5321 section 4.5.3.1 for the lengths, RFC 6531. */
export const emails: Recogniser = function* (text) {
  let end = 0;
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    const span = emailAround(text, at, end);
    if (!span) continue;
    yield span;
    ({ end } = span);
  }
};

function emailAround(text: string, at: number, from: number): Span | null {
  let start = at;
  while (start > from && at - start < MAX_LOCAL && LOCAL.test(text[start - 1]!)) start--;
  while (start < at && /[.']/.test(text[start]!)) start++;
  let end = at + 1;
  while (end < text.length && end - at <= MAX_DOMAIN && DOMAIN.test(text[end]!)) end++;
  const labels = text.slice(at + 1, end).split('.');
  while (labels.length > 1 && !TOP_LEVEL.test(labels.at(-1)!)) labels.pop();
  const domain = labels.join('.');
  return start < at && labels.length > 1 && !labels.includes('') ? { start, end: at + 1 + domain.length } : null;
}

const V4 = /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w]|\.\d)/;
const V6 = /(?<![\w:.])(?:[\da-f]{0,4}:){2,7}[\da-f.]{0,15}(?![\w:])/i;

/** IP addresses, also inside a URL or before a port. */
export const ipAddresses: Recogniser = function* (text) {
  yield* matching(text, V6, ({ index: start, 0: found }) => {
    const address = found.replace(/\.$/, '');
    // `a::b` is a valid address, but much more often a name in a program.
    return /\d.*[\da-f]:|:.*\d/i.test(address) && isIPv6(address) ? { start, end: start + address.length } : null;
  });
  yield* matching(text, V4, partIf(isIPv4));
};
