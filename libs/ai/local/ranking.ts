import { counts, sentencesOf, termsOf } from './words.js';

/** Maximum number of compared sentences. Of longer texts, those with the most common words are compared. */
const MAX_COMPARED = 300;
const ROUNDS = 30;
const DAMPING = 0.85;
/** Maximum bonus, as a multiple of the score, of a sentence that shares all words of the focus. */
const FOCUS = 10;

/** A sentence with its position in the text. */
interface Sentence {
  text: string;
  place: number;
  terms: Set<string>;
}

/**
 * The most representative sentences of a text, in the order of the text, by TextRank: sentences vote for those that
 * they share words with. Sentences that share words with `focus` get a bonus. `Source:` Mihalcea and Tarau, "TextRank:
 * Bringing Order into Texts" (2004), section 5.
 */
export function bestSentences(text: string, count: number, focus = ''): string[] {
  const all = distinct(sentencesOf(text));
  if (all.length <= count) return all.map((sentence) => sentence.text);
  const compared = candidatesAmong(all);
  const wanted = [...new Set(termsOf(focus))];
  const scores = rank(compared).map((score, index) => {
    const shared = wanted.filter((term) => compared[index]!.terms.has(term)).length;
    return wanted.length === 0 ? score : score * (1 + (FOCUS * shared) / wanted.length);
  });
  return compared
    .map((sentence, index) => ({ sentence, score: scores[index]! }))
    .sort((a, b) => b.score - a.score || a.sentence.place - b.sentence.place)
    .slice(0, count)
    .sort((a, b) => a.sentence.place - b.sentence.place)
    .map(({ sentence }) => sentence.text);
}

/** Passages that are searched for replies to questions. */
export class Passages {
  private readonly passages: { text: string; terms: Set<string> }[];
  private readonly frequency: Map<string, number>;

  constructor(texts: readonly string[]) {
    this.passages = [...new Set(texts)].map((text) => ({ text, terms: new Set(termsOf(text)) }));
    this.frequency = counts(this.passages.flatMap(({ terms }) => [...terms]));
  }

  /** Whether any passage contains a term of `termsOf`. */
  has(term: string): boolean {
    return this.frequency.has(term);
  }

  /**
   * The passages that share most terms with a question, the best first; without those that share none. Rare terms have
   * more weight.
   */
  relevant(question: string, count: number): string[] {
    const weights = [...new Set(termsOf(question))].map(
      (term) => [term, Math.log(1 + this.passages.length / (this.frequency.get(term) ?? Infinity))] as const,
    );
    return this.passages
      .map(({ text, terms }, place) => ({
        text,
        place,
        score: weights.reduce((sum, [term, weight]) => (terms.has(term) ? sum + weight : sum), 0),
      }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score || a.place - b.place)
      .slice(0, count)
      .map(({ text }) => text);
  }
}

function distinct(texts: readonly string[]): Sentence[] {
  return [...new Set(texts)].map((text, place) => ({ text, place, terms: new Set(termsOf(text)) }));
}

function candidatesAmong(all: readonly Sentence[]): Sentence[] {
  const speaking = all.filter(({ terms }) => terms.size > 0);
  if (speaking.length <= MAX_COMPARED) return speaking.length > 0 ? speaking : [...all].slice(0, MAX_COMPARED);
  const frequency = counts(speaking.flatMap(({ terms }) => [...terms]));
  const mean = ({ terms }: Sentence) => {
    let sum = 0;
    for (const term of terms) sum += Math.log(1 + frequency.get(term)!);
    return sum / Math.sqrt(terms.size);
  };
  const weighed = speaking.map((sentence) => ({ sentence, weight: mean(sentence) }));
  return weighed
    .sort((a, b) => b.weight - a.weight || a.sentence.place - b.sentence.place)
    .slice(0, MAX_COMPARED)
    .map(({ sentence }) => sentence)
    .sort((a, b) => a.place - b.place);
}

function rank(sentences: readonly Sentence[]): number[] {
  const links = sentences.map(() => new Map<number, number>());
  for (let i = 0; i < sentences.length; i++)
    for (let j = i + 1; j < sentences.length; j++) {
      const weight = similarity(sentences[i]!.terms, sentences[j]!.terms);
      if (weight === 0) continue;
      links[i]!.set(j, weight);
      links[j]!.set(i, weight);
    }
  const given = links.map((each) => [...each.values()].reduce((sum, weight) => sum + weight, 0));
  const start = headStarts(sentences);
  let scores = start;
  for (let round = 0; round < ROUNDS; round++)
    scores = links.map((each, index) => {
      let votes = 0;
      for (const [other, weight] of each) votes += (weight / given[other]!) * scores[other]!;
      return (1 - DAMPING) * start[index]! + DAMPING * votes;
    });
  return scores;
}

/** In news-like texts, the beginning says most. */
function headStarts(sentences: readonly Sentence[]): number[] {
  return sentences.map(({ place }) => 1 + 1 / (1 + place));
}

function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  let shared = 0;
  for (const term of small) if (large.has(term)) shared++;
  return shared === 0 ? 0 : shared / (1 + Math.log(a.size) + Math.log(b.size));
}
