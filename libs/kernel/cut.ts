const GRAPHEMES = new Intl.Segmenter('en');

/**
 * The beginning of a text, of at most `max` characters (code points). Never ends with half a surrogate pair, nor inside
 * a visible character such as a flag or a letter with its accents.
 */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  let end = 0;
  for (let count = 0; count < max && end < text.length; count++) end += text.codePointAt(end)! > 0xffff ? 2 : 1;
  if (end >= text.length) return text;
  const start = GRAPHEMES.segment(text.slice(0, end + 2)).containing(end)!.index;
  return text.slice(0, start > 0 ? start : end);
}

/** The whole text, or its beginning followed by `…`; at most `max` characters. */
export function shortened(text: string, max: number): string {
  const beginning = cut(text, max);
  return beginning === text ? text : `${cut(text, max - 1).trimEnd()}…`;
}

/** A text in pieces of at most `max` characters each. */
export function* piecesOf(text: string, max: number): Generator<string> {
  for (let rest = text; rest !== '';) {
    const piece = cut(rest, max);
    yield piece;
    rest = rest.slice(piece.length);
  }
}
