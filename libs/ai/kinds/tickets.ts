import type { ModelTask } from '../provider.js';
import type { JobKind, ProposedWrite } from './kind.js';
import { prompt } from './prompt.js';
import { LANGUAGE, listOf, object, oneOf, text } from './schema.js';

/** Default categories of a customer request. */
export const CATEGORIES = [
  {
    key: 'billing',
    description:
      'invoice payment charge refund price subscription rechnung zahlung facture paiement factura pago fatura pagamento',
  },
  {
    key: 'access',
    description:
      'login password sign in account locked access permission two factor anmeldung passwort connexion mot de passe acceso contraseña',
  },
  {
    key: 'defect',
    description:
      'error bug broken crash fails exception not working wrong fehler kaputt erreur panne fallo erro defeito',
  },
  {
    key: 'performance',
    description: 'slow timeout latency hangs outage down unavailable langsam ausfall lent indisponible lento caído',
  },
  {
    key: 'question',
    description: 'how to question where can I explain documentation help frage wie comment question cómo pregunta como',
  },
  {
    key: 'change',
    description:
      'please change add feature request improve wish upgrade cancel ändern wunsch kündigen modifier ajouter cambiar añadir alterar',
  },
];

const PRIORITIES = ['low', 'normal', 'high', 'urgent'] as const;
const MESSAGE = { subject: text('Subject of the message.', 500), body: text('The message.') };
const TARGETS = {
  objects: ['work.task', 'work.project', 'sales.account', 'sales.contact', 'sales.deal', 'finance.invoice'],
  min: 0,
  max: 10,
};
const category = object(
  { key: text('Key.', 100) },
  { description: text('What belongs there, and words that are typical of it.', 2_000) },
);

const triage: JobKind = {
  key: 'ticket.triage',
  title: 'Triage a request',
  description:
    'Category and priority of a request, with the reasons. If a task is among the records, its priority is proposed. Offline: by the words of the categories and by stated rules.',
  inputSchema: object(
    { body: MESSAGE.body },
    {
      subject: MESSAGE.subject,
      categories: listOf(category, {
        description: 'Categories to choose from; some common ones if not given.',
        min: 2,
        max: 50,
      }),
    },
  ),
  outputSchema: triageSchema(),
  promptMember: 'body',
  targets: TARGETS,
  render: (task, instructions) => {
    const categories = categoriesOf(task);
    return prompt(task, {
      goal: `Choose category and priority of the request in \`subject\` and \`body\`, and say why. The categories: ${JSON.stringify(categories)}. urgent: many people cannot work, data is lost, or there is a danger; high: somebody cannot work or a deadline is close; low: it can wait.`,
      instructions,
      outputSchema: triageSchema(categories.map(({ key }) => key)),
    });
  },
  proposals: (output, { records }) => {
    const { priority, reasons } = output as { priority: (typeof PRIORITIES)[number]; reasons: string[] };
    const wanted = priority === 'normal' ? 'medium' : priority;
    return records
      .filter(({ object: type, fields }) => type === 'work.task' && fields['priority'] !== wanted)
      .map(({ id }): ProposedWrite => ({
        operation: 'tasks.update',
        target: { object: 'work.task', id },
        params: { priority: wanted },
        reason: reasons.join(' '),
      }));
  },
};

const REPLY = object({ subject: text('Subject of the reply.', 500), body: text('The reply.', 50_000) });

const replyDraft: JobKind = {
  key: 'ticket.reply_draft',
  title: 'Draft a reply',
  description:
    'A reply to a message, from what the knowledge and the records say. It is never sent by itself. Offline: the passages that answer each question, in a letter.',
  inputSchema: object(
    { body: MESSAGE.body },
    {
      subject: MESSAGE.subject,
      customerName: text('Who wrote.', 200),
      signature: text('Who answers.', 500),
      knowledge: listOf(text('A passage.', 20_000), { description: 'Passages that an answer may use.', max: 50 }),
      language: LANGUAGE,
    },
  ),
  outputSchema: REPLY,
  promptMember: 'body',
  targets: TARGETS,
  render: (task, instructions) =>
    prompt(task, {
      goal: 'Draft a reply to the message in `body`, from `knowledge` and the records alone. Where they do not answer a question, say that somebody will look into it.',
      instructions,
      outputSchema: REPLY,
    }),
  proposals: () => [],
};

/** Kinds for messages of customers. */
export const TICKET_KINDS = [triage, replyDraft];

/** The categories of a task to triage. */
export function categoriesOf({ input }: ModelTask): { key: string; description?: string }[] {
  return (input['categories'] as { key: string; description?: string }[] | undefined) ?? CATEGORIES;
}

function triageSchema(keys?: string[]): object {
  return object({
    category: { anyOf: [keys ? oneOf('A category.', [...new Set(keys)]) : text('A category.', 100), { type: 'null' }] },
    priority: oneOf('How soon.', PRIORITIES),
    summary: text('The request in a sentence or two.', 2_000),
    tags: listOf(text('A word.', 60), { description: 'Words to find it by.', max: 10 }),
    reasons: listOf(text('A reason.', 1_000), { description: 'Why this category and priority.', min: 1, max: 10 }),
  });
}
