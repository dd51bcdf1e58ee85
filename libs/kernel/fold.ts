/**
 * Text as it is compared where case does not count, nor how an accent was typed: composed, in lower case, with one sigma
 * and one i. PostgreSQL has the same as `data.fold`, letter by letter, so that either side may fold.
 */
export function fold(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ').replaceAll('i\u0307', 'i').normalize('NFC');
}
