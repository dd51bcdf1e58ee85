/**
 * Text for case-insensitive comparison: composed, in lower case, with one form of sigma and of i. `data.fold` in
 * PostgreSQL does exactly the same, so either side may fold.
 */
export function fold(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ').replaceAll('i\u0307', 'i').normalize('NFC');
}
