import type { ModelTask } from '../provider.js';
import type { LocalAnswer } from './answer.js';
import { counts, spellingsOf, termsOf } from './words.js';

/** A label with the words that indicate it. */
export interface Class {
  label: string;
  words: string;
}

/** How well each class fits. */
export interface Verdict {
  label: string | null;
  confidence: number;
  scores: { label: string; score: number }[];
  /** Words shared by text and class, as in the text, by descending weight. */
  shared: string[];
}

const MAX_NAMED = 6;

export function classifyText({ input }: ModelTask): LocalAnswer {
  const { text, labels } = input as { text: string; labels: { label: string; description?: string }[] };
  const verdict = classify(
    text,
    labels.map(({ label, description = '' }) => ({ label, words: `${label} ${label} ${description}` })),
  );
  const { label, confidence, scores, shared } = verdict;
  const reason =
    label === null
      ? 'The text shares no words with any label or its description.'
      : `Shared words: ${shared.join(', ')}.`;
  return { json: { label, confidence, scores, reason } };
}

/**
 * The class that shares most words with a text. A word has more weight if fewer classes have it, and less with each
 * repetition. Null if no word is shared.
 */
export function classify(text: string, given: readonly Class[]): Verdict {
  const classes = [...new Map(given.map((each) => [each.label, each])).values()];
  const inText = counts(termsOf(text));
  const terms = classes.map(({ words }) => counts(termsOf(words.replaceAll('_', ' '))));
  const spread = counts(terms.flatMap((each) => [...each.keys()]));
  const weighed = terms.map((each) =>
    [...each].flatMap(([term, inClass]) => {
      const inside = inText.get(term);
      const weight = Math.log(1 + classes.length / spread.get(term)!) * (1 + Math.log(inClass));
      return inside ? [{ term, weight: weight * (1 + Math.log(inside)) }] : [];
    }),
  );
  const sums = weighed.map((each) => each.reduce((sum, { weight }) => sum + weight, 0));
  const total = sums.reduce((sum, each) => sum + each, 0);
  const scores = classes
    .map(({ label }, index) => ({ label, score: total === 0 ? 0 : round(sums[index]! / total), index }))
    .sort((a, b) => b.score - a.score || a.index - b.index);
  const best = scores[0]!;
  const spellings = spellingsOf(text);
  const shared = weighed[best.index]!.sort((a, b) => b.weight - a.weight).map(({ term }) => spellings.get(term)!);
  return {
    label: total === 0 ? null : best.label,
    confidence: best.score,
    scores: scores.map(({ label, score }) => ({ label, score })),
    shared: shared.slice(0, MAX_NAMED),
  };
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
