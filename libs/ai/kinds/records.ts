import type { ModelTask } from '../provider.js';
import type { JobKind, ProposedWrite } from './kind.js';
import { prompt } from './prompt.js';
import { AS_OF, LANGUAGE, listOf, object, oneOf, orNull, text, whole } from './schema.js';

const SUMMARY = object({
  summary: text('The record in a few sentences.', 10_000),
  highlights: listOf(object({ field: text('Field of the record.', 200), value: text('Its value.', 2_000) }), {
    description: 'Key points, most important first.',
    max: 20,
  }),
});

const summarize: JobKind = {
  key: 'record.summarize',
  title: 'Summarize records',
  description:
    'What records say, for somebody who has not read them. Offline: their facts, and the sentences of their texts that rank highest.',
  inputSchema: object(
    {},
    {
      focus: text('What the reader wants to know.', 1_000),
      maxSentences: whole('Sentences; 5 if not given.', 1, 20),
      language: LANGUAGE,
    },
  ),
  outputSchema: SUMMARY,
  promptMember: 'focus',
  targets: { objects: 'any', min: 1, max: 20 },
  render: (task, instructions) =>
    prompt(task, {
      goal: `Summarize the records in at most ${Number(task.input['maxSentences'] ?? 5)} sentences and name the fields that matter most.`,
      instructions,
      outputSchema: SUMMARY,
    }),
  proposals: () => [],
};

const STEP = object({
  step: orNull(text('What to do next, as a title of a task; null for nothing.', 200)),
  reason: text('Why, from the record.', 2_000),
  dueDate: orNull({ type: 'string', format: 'date' }),
  urgency: oneOf('How soon.', ['low', 'normal', 'high']),
  object: text('Type of the record that it is about.', 100),
  id: text('Id of the record that it is about.', 100),
});

interface NextStep {
  step: string | null;
  reason: string;
  dueDate: string | null;
  urgency: 'low' | 'normal' | 'high';
  object: string;
  id: string;
}

const nextStep: JobKind = {
  key: 'record.next_step',
  title: 'Suggest the next step',
  description:
    'What to do next about a record, why, and by when. It proposes the next step of a deal that has none, else a task. Offline: from dates, states and what is missing.',
  inputSchema: object({}, { focus: text('What matters to who asks.', 1_000), asOf: AS_OF, language: LANGUAGE }),
  outputSchema: STEP,
  promptMember: 'focus',
  targets: { objects: 'any', min: 1, max: 10 },
  render: (task, instructions) =>
    prompt(task, {
      goal: `Today is ${String(task.input['asOf'])}. Suggest the one step that should be taken next, about which record, why and by when; none where nothing is to be done.`,
      instructions,
      outputSchema: STEP,
    }),
  proposals: (output, task) => writesOf(output as NextStep, task),
};

/** Kinds about records. */
export const RECORD_KINDS = [summarize, nextStep];

const PRIORITIES = { low: 'low', normal: 'medium', high: 'high' };

/**
 * A deal stores its next step: the date of an existing one may change, but its text is never overwritten. All other
 * steps become tasks. Ids invented by a model are dropped.
 */
function writesOf(
  { step, reason, dueDate, urgency, object: type, id }: NextStep,
  { records }: ModelTask,
): ProposedWrite[] {
  const record = records.find((each) => each.object === type && each.id === id);
  if (!record || step === null) return [];
  const { nextStep: planned = null, nextStepDate = null } = record.fields;
  if (type === 'sales.deal' && (planned === null || planned === step)) {
    const params = {
      ...(planned === null ? { nextStep: step } : {}),
      ...(dueDate !== null && dueDate !== nextStepDate ? { nextStepDate: dueDate } : {}),
    };
    if (Object.keys(params).length === 0) return [];
    return [{ operation: 'deals.update', target: { object: type, id }, params, reason }];
  }
  const project = type === 'work.project' ? { projectId: id } : {};
  const params = {
    name: step,
    description: reason,
    priority: PRIORITIES[urgency],
    ...(dueDate === null ? {} : { dueDate }),
    ...project,
  };
  return [{ operation: 'tasks.create', target: null, params, reason }];
}
