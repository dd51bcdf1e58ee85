import { cut, piecesOf } from '#libs/kernel/cut.js';
import { STOP_WORDS } from './stop-words.js';

/** Number of characters of a text that are read. */
const MAX_TEXT = 250_000;
/**
 * Maximum sentence length, in characters. Longer sentences are cut, so the cost of a step does not depend on the length
 * of a line.
 */
const MAX_SENTENCE = 600;
/** Maximum length of a displayed word, in characters. */
const MAX_WORD = 60;
/** Number of characters that distinguish a word: endings differ, also between languages. */
const STEM = 7;

const words = new Intl.Segmenter(undefined, { granularity: 'word' });
const sentences = new Intl.Segmenter(undefined, { granularity: 'sentence' });

/** Terms of a text for comparison, in order: folded, without endings and without stop words. */
export function termsOf(text: string): string[] {
  return Array.from(termsIn(text), ({ term }) => term);
}

/** The first spelling of each term in a text, in lower case, for display. */
export function spellingsOf(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const { term, segment } of termsIn(text))
    if (!found.has(term)) found.set(term, cut(segment.toLowerCase(), MAX_WORD));
  return found;
}

function* termsIn(text: string): Generator<{ term: string; segment: string }> {
  for (const { segment, isWordLike } of words.segment(cut(text, MAX_TEXT))) {
    if (!isWordLike) continue;
    const word = fold(segment);
    if (STOP_WORDS.has(word)) continue;
    const isCounted = word.length > 1 || /\p{Script=Han}/u.test(word);
    if (isCounted) yield { term: stem(word), segment };
  }
}

/** Words of a text in lower case, accents and compatibility forms folded. */
export function wordsOf(text: string): string[] {
  const found: string[] = [];
  for (const { segment, isWordLike } of words.segment(cut(text, MAX_TEXT))) if (isWordLike) found.push(fold(segment));
  return found;
}

/** The sentences of a text, in order, without the markup of lists and headings. */
export function sentencesOf(text: string): string[] {
  const found: string[] = [];
  // A line break ends a sentence too.
  for (const { segment } of sentences.segment(cut(text, MAX_TEXT))) {
    const bare = segment.trim().replace(/^(?:[-*•>#]|\d{1,3}[.)])\s+/, '');
    for (const piece of piecesOf(bare, MAX_SENTENCE)) if (/[\p{L}\p{N}]/u.test(piece)) found.push(piece.trim());
  }
  return found;
}

/** Number of occurrences of each item. */
export function counts(terms: Iterable<string>): Map<string, number> {
  const found = new Map<string, number>();
  for (const term of terms) found.set(term, (found.get(term) ?? 0) + 1);
  return found;
}

export function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
}

function stem(word: string): string {
  const bare = word.length > 4 ? word.replace(/(?:ies|es|s|en|e)$/, '') : word;
  return cut(bare, STEM);
}
