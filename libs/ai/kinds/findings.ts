import type { JobKind } from './kind.js';
import { prompt } from './prompt.js';
import { LANGUAGE, listOf, object, oneOf, text, whole } from './schema.js';

const criterion = object(
  { name: text('Name of the criterion.', 200) },
  {
    description: text('What meets it, and words that show it.', 2_000),
    required: { type: 'boolean', description: 'Whether it has to be met; false if not given.' },
  },
);

const SCREENING = object({
  fit: oneOf('How well the material meets the criteria. A person decides what follows.', [
    'strong',
    'possible',
    'weak',
  ]),
  score: whole('Share of the criteria that are met, the required ones twice, in percent.', 0, 100),
  criteria: listOf(
    object({
      name: text('The criterion.', 200),
      met: { type: 'boolean' },
      evidence: { anyOf: [text('Where it says so.', 2_000), { type: 'null' }] },
    }),
    { description: 'Each criterion, in the given order.', max: 50 },
  ),
  reasons: listOf(text('A reason.', 2_000), { description: 'Why this fit.', min: 1, max: 10 }),
});

const screen: JobKind = {
  key: 'candidate.screen',
  title: 'Screen a candidate',
  description:
    'Which criteria the material about a candidate meets, each with its evidence. It decides nothing about the candidate. Offline: by the words of each criterion.',
  inputSchema: object(
    {
      criteria: listOf(criterion, {
        description: 'Requirements of the job; nothing about age, origin, faith, health or family.',
        min: 1,
        max: 50,
      }),
    },
    { text: text('Application or résumé, as text.') },
  ),
  outputSchema: SCREENING,
  promptMember: 'text',
  targets: { objects: ['talent.candidate', 'talent.application', 'talent.job'], min: 1, max: 3 },
  render: (task, instructions) =>
    prompt(task, {
      goal: 'Say for each of `criteria` whether the material shows that the candidate meets it, with a quotation. Judge nothing else; use neither name, age, sex, origin, faith, health nor family.',
      instructions,
      outputSchema: SCREENING,
    }),
  proposals: () => [],
};

const NARRATION = object({
  headline: text('The most important finding, in a sentence.', 500),
  paragraphs: listOf(text('A paragraph.', 5_000), {
    description: 'The findings, the most important first.',
    min: 1,
    max: 20,
  }),
});

const narrate: JobKind = {
  key: 'report.narrate',
  title: 'Put a report into words',
  description:
    'What the rows of a report show: totals, extremes, changes and shares. Offline: worked out from the rows.',
  inputSchema: object(
    {
      rows: listOf(
        {
          type: 'object',
          maxProperties: 50,
          propertyNames: { maxLength: 100 },
          additionalProperties: { type: ['string', 'number', 'boolean', 'null'], maxLength: 1_000 },
        },
        { description: 'The rows, in order; of time series the oldest first.', min: 1, max: 2_000 },
      ),
    },
    {
      title: text('What the report is about.', 500),
      labelColumn: text('Column that names the rows; the first one with text if not given.', 100),
      language: LANGUAGE,
    },
  ),
  outputSchema: NARRATION,
  promptMember: 'title',
  targets: { objects: 'any', min: 0, max: 0 },
  render: (task, instructions) =>
    prompt(task, {
      goal: 'Put into words what `rows` show: totals, extremes, changes and shares. Work out every number exactly.',
      instructions,
      outputSchema: NARRATION,
    }),
  proposals: () => [],
};

/** Kinds that evaluate material. */
export const FINDING_KINDS = [screen, narrate];
