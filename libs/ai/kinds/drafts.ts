import type { JobKind } from './kind.js';
import { prompt } from './prompt.js';
import { AS_OF, LANGUAGE, listOf, object, oneOf, text, VARIABLES } from './schema.js';

const REMINDER = object({ subject: text('Subject of the letter.', 500), body: text('The letter.', 20_000) });

const reminderDraft: JobKind = {
  key: 'invoice.reminder_draft',
  title: 'Draft a reminder of an invoice',
  description:
    'A letter about an open invoice with its number, amount and days overdue. It is never sent by itself. Offline: a letter made of the invoice’s own values.',
  inputSchema: object(
    {},
    {
      tone: oneOf('How it sounds; friendly if not given.', ['friendly', 'firm', 'final']),
      notes: text('What else to say.', 2_000),
      signature: text('Who writes.', 500),
      asOf: AS_OF,
      language: LANGUAGE,
    },
  ),
  outputSchema: REMINDER,
  promptMember: 'notes',
  targets: { objects: ['finance.invoice'], min: 1, max: 1 },
  render: (task, instructions) =>
    prompt(task, {
      goal: `Today is ${String(task.input['asOf'])}. Draft a ${toneOf(task.input['tone'])} reminder of the invoice, with its number, what is open (amounts are in minor units), the due date and the days since. Threaten nothing and promise nothing.`,
      instructions,
      outputSchema: REMINDER,
    }),
  proposals: () => [],
};

const DOCUMENT = object({
  title: text('Title.', 500),
  body: text('The document, in Markdown.'),
  missing: listOf(text('What it is.', 500), { description: 'Information that the material lacks.', max: 100 }),
});

const documentDraft: JobKind = {
  key: 'document.draft',
  title: 'Draft a document',
  description:
    'A document from a template with placeholders such as {{deal.name}}, or from headings, filled from records. Offline: placeholders and facts are filled in, what is missing is listed.',
  inputSchema: {
    ...object(
      {},
      {
        title: text('Title; placeholders work here too.', 500),
        template: text('Text with placeholders in double braces: a variable, or type and field of a record.'),
        sections: listOf(text('A heading.', 200), {
          description: 'Headings of a document without a template.',
          min: 1,
          max: 30,
        }),
        instructions: text('What to write.', 20_000),
        variables: VARIABLES,
        language: LANGUAGE,
      },
    ),
    ...{ anyOf: ['template', 'sections', 'instructions'].map((member) => ({ required: [member] })) },
  },
  outputSchema: DOCUMENT,
  promptMember: 'instructions',
  targets: { objects: 'any', min: 0, max: 20 },
  render: (task, instructions) =>
    prompt(task, {
      goal: 'Draft the document: fill `template` if there is one, else write `sections`, following `instructions` of the input, which come from the user. List under `missing` what the material does not say.',
      instructions,
      outputSchema: DOCUMENT,
    }),
  proposals: () => [],
};

function toneOf(tone: unknown): string {
  return typeof tone === 'string' ? tone : 'friendly';
}

/** Kinds that write letters and documents. */
export const DRAFT_KINDS = [reminderDraft, documentDraft];
