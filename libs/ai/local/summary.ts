import { cut } from '#libs/kernel/cut.js';
import type { ContextRecord, ModelTask } from '../provider.js';
import type { LocalAnswer } from './answer.js';
import { type Fact, factsOf, nameOf } from './facts.js';
import { bestSentences } from './ranking.js';
import { counts, termsOf, wordsOf } from './words.js';

/** Values with more words than this are texts; shorter ones are facts. */
const TEXT_WORDS = 12;
const MAX_HIGHLIGHTS = 8;
const MAX_VALUE = 300;
/** Words in the names of fields that matter most to readers, in descending order. */
const WANTED = [
  'status',
  'stage',
  'state',
  'amount',
  'value',
  'total',
  'balance',
  'due',
  'close',
  'target',
  'end',
  'next',
  'health',
  'priority',
  'progress',
  'overdue',
  'probability',
  'start',
  'reason',
  'title',
  'company',
];

export function summarizeText({ input }: ModelTask): LocalAnswer {
  const { text, maxSentences = 3, focus = '' } = input as { text: string; maxSentences?: number; focus?: string };
  return { text: bestSentences(text, maxSentences, focus).join(' ') };
}

/** Summarizes records: first the type and state of each, then the content of their texts. */
export function summarizeRecords({ input, records }: ModelTask): LocalAnswer {
  const { maxSentences = 5, focus = '' } = input as { maxSentences?: number; focus?: string };
  const described = records.map((record) => describe(record, focus));
  const texts = described.flatMap(({ texts: each }) => each).join('\n');
  const left = Math.max(maxSentences - described.length, 0);
  const sentences = [
    ...described.map(({ sentence }) => sentence).slice(0, maxSentences),
    ...(left > 0 ? bestSentences(texts, left, focus) : []),
  ];
  const highlights = described.flatMap(({ facts }) => facts).slice(0, MAX_HIGHLIGHTS);
  return {
    json: {
      summary: sentences.join(' '),
      highlights: highlights.map(({ field, value }) => ({
        field: cut(field, 200),
        value: cut(value, MAX_VALUE),
      })),
    },
  };
}

/** The facts of a record that matter most to the reader, the most important first. */
export function leadingFacts(record: ContextRecord, focus: string): Fact[] {
  const asked = counts(termsOf(focus));
  const score = ({ field, label }: Fact) => {
    const place = WANTED.findIndex((word) => wordsOf(label).includes(word));
    const known = place === -1 ? 0 : WANTED.length - place;
    return termsOf(label).filter((term) => asked.has(term)).length * 100 + known - field.split('.').length;
  };
  return factsOf(record)
    .filter(({ value, field }) => wordsOf(value).length <= TEXT_WORDS && field !== 'name')
    .map((fact, place) => ({ fact, place, score: score(fact) }))
    .filter((each) => each.score > 0)
    .sort((a, b) => b.score - a.score || a.place - b.place)
    .map(({ fact }) => fact);
}

function describe(record: ContextRecord, focus: string): { sentence: string; facts: Fact[]; texts: string[] } {
  const facts = leadingFacts(record, focus);
  const said = facts.slice(0, 4).map(({ label, value }) => `${label.toLowerCase()} ${value}`);
  const texts = factsOf(record)
    .filter(({ value }) => wordsOf(value).length > TEXT_WORDS)
    .map(({ value }) => value);
  return { sentence: `${nameOf(record)}${said.length > 0 ? `: ${said.join(', ')}` : ''}.`, facts, texts };
}
