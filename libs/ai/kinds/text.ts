import type { ModelTask } from '../provider.js';
import type { JobKind } from './kind.js';
import { answerSchemaOf, FIELDS } from './extraction.js';
import { prompt } from './prompt.js';
import { LANGUAGE, listOf, object, oneOf, text, VARIABLES, whole } from './schema.js';

const NONE = () => [];
const ANY = { objects: 'any', min: 0, max: 20 } as const;

const generate: JobKind = {
  key: 'text.generate',
  title: 'Write a text',
  description:
    'Does what the prompt asks, with the context and the records as material. Offline: fills placeholders such as {{deal.name}}, or answers with the passages that fit the prompt best.',
  inputSchema: object(
    { prompt: text('What to write.') },
    { context: text('Material to write from.'), variables: VARIABLES, language: LANGUAGE },
  ),
  outputSchema: null,
  promptMember: 'prompt',
  targets: ANY,
  render: (task, instructions) =>
    prompt(task, {
      goal: 'Do what `prompt` of the input asks for; it comes from the user. Fill placeholders in double braces from `variables` and the records.',
      instructions,
      outputSchema: null,
    }),
  proposals: NONE,
};

const summarize: JobKind = {
  key: 'text.summarize',
  title: 'Summarize a text',
  description:
    'The sentences, or the gist, of a text that matter most. Offline: the highest-ranked sentences, in order.',
  inputSchema: object(
    { text: text('The text.') },
    {
      maxSentences: whole('Sentences of the summary; 3 if not given.', 1, 20),
      focus: text('What the reader wants to know.', 1_000),
      language: LANGUAGE,
    },
  ),
  outputSchema: null,
  promptMember: 'text',
  targets: { objects: 'any', min: 0, max: 0 },
  render: (task, instructions) =>
    prompt(task, {
      goal: `Summarize \`text\` in at most ${Number(task.input['maxSentences'] ?? 3)} sentences${task.input['focus'] ? ', with a view to `focus`' : ''}.`,
      instructions,
      outputSchema: null,
    }),
  proposals: NONE,
};

const label = object(
  { label: text('The label.', 100) },
  { description: text('What belongs under it, and words that are typical of it.', 2_000) },
);

const classify: JobKind = {
  key: 'text.classify',
  title: 'Classify a text',
  description: 'The label that fits a text best. Offline: by the words that text, labels and their descriptions share.',
  inputSchema: object({
    text: text('The text.'),
    labels: listOf(label, { description: 'The labels to choose from.', min: 2, max: 50 }),
  }),
  outputSchema: classificationSchema(),
  promptMember: 'text',
  targets: { objects: 'any', min: 0, max: 0 },
  render: (task, instructions) =>
    prompt(task, {
      goal: 'Choose the label that fits `text` best; null if none does. Score all of them from 0 to 1 and say why in one sentence.',
      instructions,
      outputSchema: classificationSchema(labelsOf(task)),
    }),
  proposals: NONE,
};

const extract: JobKind = {
  key: 'text.extract',
  title: 'Extract fields from a text',
  description:
    'The values of named fields in a text; null for what it does not say. Offline: by labels in the text and by the form of the values.',
  inputSchema: object({ text: text('The text.'), fields: FIELDS }),
  outputSchema: { type: 'object' },
  promptMember: 'text',
  targets: { objects: 'any', min: 0, max: 0 },
  render: (task, instructions) =>
    prompt(task, {
      goal: 'Extract the values of `fields` from `text`. Null for what it does not say. Dates as YYYY-MM-DD, amounts as numbers.',
      instructions,
      outputSchema: answerSchemaOf(task.input),
    }),
  proposals: NONE,
};

/** Kinds for a text in the job's input. */
export const TEXT_KINDS = [generate, summarize, classify, extract];

/** Labels of a task to classify. */
export function labelsOf({ input }: ModelTask): string[] {
  return (input['labels'] as { label: string }[]).map(({ label: each }) => each);
}

function classificationSchema(labels?: string[]): object {
  const named = labels ? oneOf('A label.', [...new Set(labels)]) : text('A label.', 100);
  const score = { type: 'number', minimum: 0, maximum: 1 };
  return object({
    label: { anyOf: [named, { type: 'null' }] },
    confidence: score,
    scores: listOf(object({ label: named, score }), { description: 'All labels, the best first.', max: 50 }),
    reason: text('Why, in a sentence.', 2_000),
  });
}
