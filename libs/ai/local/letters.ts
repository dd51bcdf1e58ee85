import { cut } from '#libs/kernel/cut.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import type { ContextRecord, ModelTask } from '../provider.js';
import type { LocalAnswer } from './answer.js';
import { factsOf, nameOf, valueAt } from './facts.js';
import { phrasesOf, say } from './phrases.js';
import { bestSentences, Passages } from './ranking.js';
import { sentencesOf } from './words.js';

const MAX_QUESTIONS = 8;
const MAX_PASSAGES = 2;
const MAX_SUBJECT = 500;

type ReplyInput = {
  body: string;
  subject?: string;
  customerName?: string;
  signature?: string;
  knowledge?: string[];
  language?: string;
};

/** A reply that answers each question of a message with matching passages, and names the questions without one. */
export function draftReply({ input, records }: ModelTask): LocalAnswer {
  const { body, subject = '', customerName, signature, knowledge = [], language } = input as ReplyInput;
  const phrases = phrasesOf(language, body);
  const passages = new Passages([...knowledge.flatMap(sentencesOf), ...records.flatMap(statementsOf)]);
  const sentences = sentencesOf(body);
  const asked = sentences.filter((sentence) => /[?？؟]/.test(sentence)).slice(0, MAX_QUESTIONS);
  const questions = asked.length > 0 ? asked : bestSentences(body, 2, subject);
  const taken = questions.map((question) => {
    const found = passages.relevant(question, MAX_PASSAGES);
    const reply = found.length > 0 ? `${phrases.answer} ${found.join(' ')}` : phrases.unanswered;
    return found.length > 0 ? `> ${question}\n\n${reply}` : `${reply}\n\n> ${question}`;
  });
  const greeting = customerName ? say(phrases.greeting, { name: customerName }) : phrases.greetingUnknown;
  const letter = [greeting, phrases.thanks, ...taken, [phrases.closing, ...(signature ? [signature] : [])].join('\n')];
  const title = subject === '' ? (questions[0] ?? phrases.thanks) : subject;
  return {
    json: {
      subject: cut(/^re:/i.test(title) ? title : `Re: ${title}`, MAX_SUBJECT),
      body: cut(letter.join('\n\n'), 50_000),
    },
  };
}

type ReminderInput = {
  tone?: 'friendly' | 'firm' | 'final';
  notes?: string;
  signature?: string;
  asOf: string;
  language?: string;
};

/** A reminder with the values of the invoice. */
export function draftReminder({ input, records }: ModelTask): LocalAnswer {
  const { tone = 'friendly', notes, signature, asOf, language } = input as ReminderInput;
  const invoice = records[0]!;
  const ofInvoice = invoice.fields['language'];
  const phrases = phrasesOf(language ?? (typeof ofInvoice === 'string' ? ofInvoice : undefined), notes ?? '');
  const due = valueAt(invoice, 'dueDate');
  const daysLate = due === null ? 0 : Math.round((Date.parse(asOf) - Date.parse(due)) / DAY_MS);
  const number = nameOf({
    ...invoice,
    fields: { ...invoice.fields, name: invoice.fields['number'] ?? invoice.fields['reference'] },
  });
  const open = valueAt(invoice, 'balanceMinor') ?? valueAt(invoice, 'totalMinor') ?? '';
  const values = { number, issued: valueAt(invoice, 'issueDate') ?? '–', open, due: due ?? '', days: String(daysLate) };
  const customer = valueAt(invoice, 'customer.name');
  const letter = [
    customer ? say(phrases.greeting, { name: customer }) : phrases.greetingUnknown,
    say(phrases.reminder[tone], values),
    ...(due === null ? [] : [say(daysLate > 0 ? phrases.dueLate : phrases.dueLater, values)]),
    ...(notes ? [notes] : []),
    ...(tone === 'final' ? [] : [phrases.crossed]),
    [phrases.closing, ...[signature ?? valueAt(invoice, 'seller.name')].filter((line) => line !== null)].join('\n'),
  ];
  return {
    json: {
      subject: cut(say(phrases.reminderSubject, values), MAX_SUBJECT),
      body: cut(letter.join('\n\n'), 20_000),
    },
  };
}

/** The facts of a record as sentences for replies. */
export function statementsOf(record: ContextRecord): string[] {
  const name = nameOf(record);
  return factsOf(record).flatMap(({ label, value }) =>
    value.length > 200 ? sentencesOf(value) : [`${name}, ${label.toLowerCase()}: ${value}.`],
  );
}
