import { ibans, paymentCards } from './accounts.js';
import { emails, ipAddresses } from './addresses.js';
import { birthDates } from './birth-dates.js';
import { folded } from './fold.js';
import type { Looking, PersonalDataKind, Recogniser, Span } from './kinds.js';
import { nationalIds } from './national-ids.js';
import { phones } from './phones.js';

/** A piece of personal data in a text. */
export interface Found extends Span {
  kind: PersonalDataKind;
}

/** The most reliable first: later detectors do not see what earlier ones found. */
const RECOGNISERS: readonly (readonly [PersonalDataKind, Recogniser])[] = [
  ['email', emails],
  ['iban', ibans],
  ['payment_card', paymentCards],
  ['date_of_birth', birthDates],
  ['national_id', nationalIds],
  ['ip_address', ipAddresses],
  ['phone', phones],
];
/** Replaces found data. It belongs to no word, number or address, and cannot be between a label and its value. */
const TAKEN = '\ufffc';
/** Minimum length of all kinds. */
const SHORTEST = 4;

/** The rest of a digit sequence may contain another match; it is searched this many times. */
const ROUNDS = 4;

/** Matches in a text, in order and without overlaps. `label` is the name of its field, as words. */
export function personalDataIn(text: string, label: string | null, looking: Looking): Found[] {
  if (text.length < SHORTEST) return [];
  const comparable = folded(text);
  const found: Found[] = [];
  let left = comparable.text;
  for (let round = 0, before = -1; round < ROUNDS && found.length > before; round++) {
    before = found.length;
    for (const [kind, recognise] of RECOGNISERS) {
      if (!looking.kinds.includes(kind)) continue;
      const spans = apart([...recognise(left, label, looking)]);
      if (spans.length > 0) left = without(left, spans);
      for (const { start, end } of spans)
        found.push({ kind, start: comparable.original(start), end: comparable.original(end - 1) + 1 });
    }
  }
  return found.sort((one, other) => one.start - other.start);
}

/** Sorts the spans and merges overlapping ones. */
function apart(spans: Span[]): Span[] {
  const result: Span[] = [];
  for (const span of spans.sort((one, other) => one.start - other.start)) {
    const last = result.at(-1);
    if (last && span.start < last.end) last.end = Math.max(last.end, span.end);
    else result.push({ ...span });
  }
  return result;
}

function without(text: string, spans: readonly Span[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end } of spans) {
    pieces.push(text.slice(at, start), TAKEN.repeat(end - start));
    at = end;
  }
  return [...pieces, text.slice(at)].join('');
}
