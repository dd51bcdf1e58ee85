/**
 * Text for case-insensitive comparison: composed, in lower case, with one sigma and one i. `data.fold` in PostgreSQL
 * does exactly the same, so that either side may fold.
 */
export function fold(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ').replaceAll('i\u0307', 'i').normalize('NFC');
}
