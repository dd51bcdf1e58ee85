/** A text with ASCII digits, dashes, spaces and letters, without invisible characters. */
export interface Folded {
  text: string;
  /** Position of a folded unit in the original. */
  original(at: number): number;
}

const ASCII = /^[\0-\x7f]*$/;
/** Zero-width characters, soft hyphens and directional marks. */
const UNSEEN = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]/;
const DASH = /[\u2010-\u2015\u2212\ufe63]/;
const SPACE = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/;
const DIGIT = /\p{Nd}/u;
const FULL_WIDTH = 0xfee0;

/** Normalizes a text, because digits of other scripts and invisible characters must not hide data. */
export function folded(text: string): Folded {
  if (ASCII.test(text)) return { text, original: (at) => at };
  const units: string[] = [];
  const places: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const unit = text[at]!;
    if (UNSEEN.test(unit)) continue;
    units.push(asciiOf(unit));
    places.push(at);
  }
  return { text: units.join(''), original: (at) => places[at] ?? text.length };
}

function asciiOf(unit: string): string {
  if (unit <= '\x7f') return unit;
  const code = unit.charCodeAt(0);
  if (code >= 0xff01 && code <= 0xff5e) return String.fromCharCode(code - FULL_WIDTH);
  if (DASH.test(unit)) return '-';
  if (SPACE.test(unit)) return ' ';
  return DIGIT.test(unit) ? digitOf(code) : unit;
}

/**
 * The decimal digits of a script have consecutive code points, starting with zero. `Source:` The Unicode Standard,
 * section 4.6.
 */
function digitOf(code: number): string {
  let zero = code;
  while (code - zero < 9 && DIGIT.test(String.fromCharCode(zero - 1))) zero--;
  return String(code - zero);
}
