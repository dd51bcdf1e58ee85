import { cut } from '#libs/kernel/cut.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import type { ContextRecord, ModelTask } from '../provider.js';
import type { LocalAnswer } from './answer.js';
import { factsOf, nameOf } from './facts.js';

type Urgency = 'low' | 'normal' | 'high';

/** A suggested next step for a record. */
interface Step {
  /** Null if nothing needs to be done. */
  step: string | null;
  reason: string;
  dueDate: string | null;
  urgency: Urgency;
  /** The step with the highest weight is suggested. */
  weight: number;
}

const SOON_DAYS = 7;
const QUIET_DAYS = 14;
/** States in which no work is left. */
const OVER = new Set([
  'won',
  'lost',
  'paid',
  'void',
  'uncollectible',
  'done',
  'completed',
  'cancelled',
  'hired',
  'rejected',
  'withdrawn',
  'closed',
  'retired',
  'terminated',
  'converted',
  'disqualified',
]);
/** Fields with a deadline, the most binding first; other date fields describe the past. */
const DEADLINES = [
  'dueDate',
  'nextStepDate',
  'expectedCloseDate',
  'targetDate',
  'endDate',
  'validUntil',
  'expiresAt',
  'startDate',
];
/**
 * Fields that an open record should have, by the last part of its type. Only fields that every reader of the record may
 * see.
 */
const EXPECTED: Record<string, [field: string, step: string][]> = {
  deal: [
    ['nextStep', 'Agree on the next step'],
    ['expectedCloseDate', 'Ask when the decision falls'],
    ['primaryContactId', 'Name the contact'],
    ['amountMinor', 'Estimate the amount'],
  ],
  invoice: [
    ['dueDate', 'Set the due date'],
    ['customer', 'Name the customer'],
  ],
  project: [
    ['targetDate', 'Agree on the target date'],
    ['ownerId', 'Name who is responsible'],
  ],
  task: [
    ['dueDate', 'Set the due date'],
    ['assigneeIds', 'Name who does it'],
  ],
  candidate: [
    ['jobId', 'Assign a job'],
    ['ownerId', 'Name who is responsible'],
  ],
  lead: [
    ['email', 'Find out the address'],
    ['ownerId', 'Name who is responsible'],
  ],
};

/** The next step: overdue deadlines first, then close ones, then missing fields, then inactive records. */
export function suggestNextStep({ input, records }: ModelTask): LocalAnswer {
  const { asOf } = input as { asOf: string };
  const [best] = records
    .flatMap((record) => stepsOf(record, asOf).map((step) => ({ record, ...step })))
    .sort((a, b) => b.weight - a.weight);
  const { record, weight: _weight, ...step } = best ?? { record: records[0]!, ...nothing(records[0]!) };
  return { json: { ...step, step: step.step && cut(step.step, 200), object: record.object, id: record.id } };
}

function stepsOf(record: ContextRecord, asOf: string): Step[] {
  const { object, fields } = record;
  const name = nameOf(record);
  if (isOver(record)) return [];
  const state = stateOf(record);
  const steps: Step[] = [];
  DEADLINES.forEach((field, rank) => {
    const value = fields[field];
    const days =
      typeof value === 'string' ? Math.round((Date.parse(value.slice(0, 10)) - Date.parse(asOf)) / DAY_MS) : Number.NaN;
    if (Number.isNaN(days) || days > SOON_DAYS || (field === 'startDate' && days < 0)) return;
    const label = labelled(field);
    const planned = field === 'nextStepDate' && typeof fields['nextStep'] === 'string' ? fields['nextStep'] : null;
    if (days < 0)
      steps.push({
        step: planned ?? `Follow up ${name}: ${label} has passed`,
        reason: `${capital(label)} was ${String(value).slice(0, 10)}, ${-days} days before ${asOf}${state ? `, and it is still ${state}` : ''}.`,
        dueDate: asOf,
        urgency: 'high',
        weight: 300 - rank + Math.min(-days, 90),
      });
    else
      steps.push({
        step: planned ?? `Prepare ${name}: ${label} is close`,
        reason: `${capital(label)} is ${String(value).slice(0, 10)}, in ${days} days.`,
        dueDate: String(value).slice(0, 10),
        urgency: days <= 2 ? 'high' : 'normal',
        weight: 200 - rank - days,
      });
  });
  for (const [index, [field, step]] of (EXPECTED[object.split('.').at(-1)!] ?? []).entries())
    if (isEmpty(fields[field]))
      steps.push({
        step: `${step}: ${name}`,
        reason: `${capital(labelled(field))} is empty.`,
        dueDate: null,
        urgency: 'normal',
        weight: 150 - index,
      });
  const changed = [fields['stageEnteredAt'], fields['updatedAt']].find(isText);
  const quiet = changed ? Math.floor((Date.parse(asOf) - Date.parse(changed.slice(0, 10))) / DAY_MS) : 0;
  if (quiet >= QUIET_DAYS)
    steps.push({
      step: `Get ${name} moving`,
      reason: `Nothing has changed for ${quiet} days${state ? ` while it is ${state}` : ''}.`,
      dueDate: null,
      urgency: 'normal',
      weight: 100 + Math.min(quiet, 40),
    });
  return steps;
}

/** An existing plan remains if nothing is overdue, close or missing. */
function nothing(record: ContextRecord): Step {
  const { nextStep, nextStepDate } = record.fields;
  const isPlanned = isText(nextStep) && !isOver(record);
  const dated = factsOf(record).find(({ field }) => DEADLINES.includes(field));
  const reason = dated
    ? `Nothing is late, close or missing; ${dated.label.toLowerCase()} is ${dated.value}.`
    : 'Nothing is late, close or missing.';
  return {
    step: isPlanned ? nextStep : null,
    reason,
    dueDate: isPlanned && isText(nextStepDate) ? nextStepDate : null,
    urgency: 'low',
    weight: 0,
  };
}

function stateOf({ fields }: ContextRecord): string | undefined {
  return [fields['status'], fields['state']].find(isText);
}

function isOver(record: ContextRecord): boolean {
  return OVER.has(stateOf(record) ?? '');
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Models do not see empty fields. */
function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

function labelled(field: string): string {
  return field
    .replace(/(?:Id|Ids|Minor|At)$/, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
