/** Kinds of personal data that are detected. */
export const PERSONAL_DATA_KINDS = [
  'email',
  'phone',
  'payment_card',
  'iban',
  'national_id',
  'ip_address',
  'date_of_birth',
] as const;
export type PersonalDataKind = (typeof PERSONAL_DATA_KINDS)[number];

/** What to look for. */
export interface Looking {
  kinds: readonly PersonalDataKind[];
  /** Country of phone numbers without a country code, ISO 3166-1 alpha-2; null if unknown. */
  country: string | null;
}

/** Position and kind of personal data, without the data. */
export interface Finding {
  kind: PersonalDataKind;
  count: number;
  /** JSON pointer into the scanned value. Member names that are personal data are replaced by placeholders. */
  where: string;
}

/** A part of a text, from its first UTF-16 unit to the one after its last. */
export interface Span {
  start: number;
  end: number;
}

/** Finds one kind of personal data in a text. */
export type Recogniser = (text: string, label: string | null, looking: Looking) => Iterable<Span>;

/**
 * Parts that match a pattern and that `spanOf` accepts: the first group if there is one, which must be at the end.
 * After a rejected match the search continues one unit later, because it must not hide another match. To keep this
 * linear, patterns must be bounded in length.
 */
export function* matching(
  text: string,
  pattern: RegExp,
  spanOf: (match: RegExpExecArray) => Span | null = partOf,
): Generator<Span> {
  const search = new RegExp(pattern, pattern.flags.includes('g') ? pattern.flags : `g${pattern.flags}`);
  for (let match = search.exec(text); match; match = search.exec(text)) {
    const span = spanOf(match);
    if (span) yield span;
    search.lastIndex = span?.end ?? match.index + 1;
  }
}

/** The first group of a match, which is at its end, or the whole match. */
export function partOf({ index, 0: all, 1: part = all }: RegExpExecArray): Span {
  const end = index + all.length;
  return { start: end - part.length, end };
}

/** Like {@link partOf}, for matches that pass a further check. */
export function partIf(holds: (part: string) => boolean): (match: RegExpExecArray) => Span | null {
  return (match) => (holds(match[1] ?? match[0]) ? partOf(match) : null);
}

/** Digits of a text, in ASCII. */
export function digitsOf(text: string): string {
  return text.replaceAll(/\D/g, '');
}
