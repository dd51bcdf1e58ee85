/** Maximum length of a compared word. */
const MAX_LENGTH = 60;
/** Minimum length of a prefix that identifies a name. */
const MIN_BEGINNING = 3;

/**
 * The name that a word was probably meant to be: one that differs only in case and separators or in one or two
 * letters, or that begins with the word (`owner` for `ownerId`). Null if there is none.
 */
export function nearest(word: string, names: Iterable<string>): string | null {
  if (word.length > MAX_LENGTH) return null;
  const folded = fold(word);
  if (folded === '') return null;
  let best: string | null = null;
  let least = mistakesAllowed(folded) + 1;
  let begun: string | null = null;
  for (const name of names) {
    const candidate = fold(name);
    const cost = mistakesBetween(folded, candidate, least - 1);
    if (cost < least) [best, least] = [name, cost];
    const begins = folded.length >= MIN_BEGINNING && candidate.startsWith(folded);
    if (begins && (begun === null || name.length < begun.length)) begun = name;
  }
  return best !== null && least <= 1 ? best : (begun ?? best);
}

/** Allowed number of wrong letters: fewer for short words. */
export function mistakesAllowed(word: string): number {
  return word.length < 3 ? 0 : word.length < 6 ? 1 : 2;
}

/** Edit distance between two texts, counting a swap of neighbours as one edit; Infinity if greater than `most`. */
export function mistakesBetween(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return Infinity;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const next = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      next[column] = Math.min(
        last[column]! + 1,
        next[column - 1]! + 1,
        last[column - 1]! + (same ? 0 : 1),
        swapped ? before[column - 2]! + 1 : Infinity,
      );
    }
    if (Math.min(...next) > most) return Infinity;
    [before, last] = [last, next];
  }
  const cost = last[b.length]!;
  return cost <= most ? cost : Infinity;
}

/** Ignores case, `_` and `-`. */
function fold(text: string): string {
  return text.toLowerCase().replace(/(?<=.)[_-]/g, '');
}
