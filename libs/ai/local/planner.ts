import { cut } from '#libs/kernel/cut.js';
import { isObject } from '#libs/kernel/is-object.js';
import type { ContextRecord, ModelCall, ModelMessage, ToolCall, ToolSpec } from '../provider.js';
import { nameOf } from './facts.js';
import { statementsOf } from './letters.js';
import { Passages } from './ranking.js';
import { leadingFacts } from './summary.js';
import { counts, fold, termsOf } from './words.js';

/** The next step: tool calls, or the final answer. */
export type Plan = { toolCalls: ToolCall[] } | { text: string };

const MAX_SEARCHES = 3;
const MAX_READS = 3;
const MAX_ANSWERS = 6;
const MAX_SEARCH_TEXT = 200;
/** `field: value`, `field = value`, `set field to value`. */
const ASSIGNMENT =
  /(?:^|[\n,;]|\bset |\bchange |\band )\s{0,3}([\p{L} ]{2,40}?)\s{0,3}(?::|=| to )\s{0,3}("[^"\n]{1,300}"|“[^”\n]{1,300}”|[^\n,;]{1,300})/giu;
const QUOTED = /"([^"\n]{1,200})"|“([^”\n]{1,200})”/;
const WISHES = {
  create: /\b(?:create|add|make|new|open|anlegen|erstelle|cree|creer|crea|anade|criar)\b/,
  update: /\b(?:set|change|update|mark|move|rename|setze|andere|modifie|cambia|muda)\b/,
};

/** A tool result, with its call. */
interface Observation {
  call: ToolCall;
  collection: string;
  verb: string;
  value: unknown;
}

/**
 * The next step of an agent without a model: search with the words of the goal, read the results, apply the changes
 * that the goal states, and report. Each step depends only on the messages, so the same conversation always continues
 * in the same way.
 */
export function nextStep({ messages, tools, task }: Pick<ModelCall, 'messages' | 'tools' | 'task'>): Plan {
  const { goal, context = '' } = task.input as { goal: string; context?: string };
  const seen = observationsIn(messages);
  const stages = [searches, reads, writes];
  for (const stage of stages) {
    const calls = stage(goal, tools, seen).filter(
      ({ name, params }) =>
        !seen.some(({ call }) => call.name === name && JSON.stringify(call.params) === JSON.stringify(params)),
    );
    if (
      calls.length > 0 &&
      !seen.some(({ verb }) => verb === verbOf(calls[0]!.name) || verb === 'create' || verb === 'update')
    )
      return { toolCalls: calls.map((call, index) => ({ ...call, id: `local_${seen.length + index + 1}` })) };
  }
  return { text: report(goal, task.records, seen, context) };
}

/** Collections that the goal mentions; all if it mentions none. */
function searches(goal: string, tools: readonly ToolSpec[]): Omit<ToolCall, 'id'>[] {
  const known = tools.filter(({ name }) => verbOf(name) === 'search');
  const wanted = new Set(termsOf(goal));
  const named = known.filter(({ name }) => termsOf(collectionOf(name)).some((term) => wanted.has(term)));
  return (named.length > 0 ? named : known)
    .slice(0, MAX_SEARCHES)
    .map((tool) => ({ name: tool.name, params: searchParams(goal, tool) }));
}

function searchParams(goal: string, tool: ToolSpec): Record<string, unknown> {
  const takes = propertiesOf(tool);
  // Excludes the values that fields are set to.
  const said = goal.replaceAll(ASSIGNMENT, (all, label: string, value: string) => (QUOTED.test(value) ? label : all));
  const quoted = QUOTED.exec(said);
  const own = new Set(termsOf(collectionOf(tool.name)));
  // Search terms: quoted text, else the names in the goal.
  const names =
    said.match(/\b\p{Lu}[\p{L}\p{N}-]+(?: \p{Lu}[\p{L}\p{N}-]+){0,3}/gu)?.filter((name) => said.indexOf(name) > 0) ??
    [];
  const text = quoted?.[1] ?? quoted?.[2] ?? names.find((name) => termsOf(name).some((term) => !own.has(term)));
  return {
    ...('q' in takes && text ? { q: cut(text, MAX_SEARCH_TEXT) } : {}),
    ...('limit' in takes ? { limit: 10 } : {}),
  };
}

/** The records found, those with most words of the goal first. */
function reads(goal: string, tools: readonly ToolSpec[], seen: readonly Observation[]): Omit<ToolCall, 'id'>[] {
  const readable = new Set(tools.filter(({ name }) => verbOf(name) === 'get').map(({ name }) => collectionOf(name)));
  return ranked(
    goal,
    seen.filter(({ verb, collection }) => verb === 'search' && readable.has(collection)),
  )
    .slice(0, MAX_READS)
    .map(({ collection, record }) => ({ name: `${collection}__get`, params: { id: record.id } }));
}

/** The change that the goal states, for the only record found, or the record to create. */
function writes(goal: string, tools: readonly ToolSpec[], seen: readonly Observation[]): Omit<ToolCall, 'id'>[] {
  const wanted = new Set(termsOf(goal));
  const low = fold(goal);
  for (const tool of tools) {
    const [verb, collection] = [verbOf(tool.name), collectionOf(tool.name)];
    const isNamed = termsOf(collection).some((term) => wanted.has(term));
    if (verb === 'update' && WISHES.update.test(low)) {
      const [best, next] = ranked(
        goal,
        seen.filter((each) => each.collection === collection),
      );
      const changes = assignments(goal, tool, 'changes');
      const isClear = best && (next === undefined || best.score > next.score);
      if (isClear && Object.keys(changes).length > 0)
        return [{ name: tool.name, params: { id: best.record.id, changes, reason: reasonOf(goal) } }];
    }
    if (verb === 'create' && isNamed && WISHES.create.test(low)) {
      const quoted = QUOTED.exec(goal);
      const name = quoted?.[1] ?? quoted?.[2];
      if (name && 'name' in bodyOf(tool, 'record')) {
        const record = { name, ...assignments(goal.replace(quoted![0], ''), tool, 'record') };
        return [{ name: tool.name, params: { record, reason: reasonOf(goal) } }];
      }
    }
  }
  return [];
}

/** Fields of the tool to which the goal assigns a value, in the type that the tool requires. */
function assignments(goal: string, tool: ToolSpec, member: 'changes' | 'record'): Record<string, unknown> {
  const byLabel = new Map(
    Object.entries(bodyOf(tool, member)).map(([field, schema]) => [labelKey(field), { field, schema }]),
  );
  const found: Record<string, unknown> = {};
  for (const [, label = '', raw = ''] of goal.matchAll(ASSIGNMENT)) {
    const words = label.trim().split(/ +/);
    // The longest suffix that names a field: `please set the due date`.
    const target = words.map((_word, index) => byLabel.get(labelKey(words.slice(index).join(' ')))).find(Boolean);
    const text = raw.trim().replace(/^["“]|["”.]$/g, '');
    if (!target || target.field === 'id' || text === '') continue;
    const type = isObject(target.schema) ? target.schema['type'] : undefined;
    const types = Array.isArray(type) ? type : [type];
    if (types.includes('number') || types.includes('integer')) {
      if (Number.isFinite(Number(text))) found[target.field] = Number(text);
    } else if (types.includes('boolean')) found[target.field] = /^(?:yes|true|on)$/i.test(text);
    else found[target.field] = text;
  }
  return found;
}

/** Records in tool results, without duplicates, those whose names share most words with the goal first. */
function ranked(
  goal: string,
  seen: readonly Observation[],
): { collection: string; record: ContextRecord; score: number }[] {
  const wanted = counts(termsOf(goal));
  const found = new Map<string, { collection: string; record: ContextRecord; score: number }>();
  for (const { collection, value } of seen)
    for (const record of recordsIn(value)) {
      const { name, reference, number } = record.fields;
      const terms = new Set(termsOf([name, reference, number].filter((each) => typeof each === 'string').join(' ')));
      found.set(record.id, { collection, record, score: [...terms].filter((term) => wanted.has(term)).length });
    }
  return [...found.values()].sort((a, b) => b.score - a.score);
}

/** The relevant findings, and what was done. */
function report(goal: string, given: readonly ContextRecord[], seen: readonly Observation[], context: string): string {
  const read = seen.filter(({ verb }) => verb === 'get' || verb === 'search');
  const found = ranked(goal, read).map(({ record }) => record);
  const records = [...given, ...found];
  const passages = new Passages([...(context === '' ? [] : context.split('\n')), ...records.flatMap(statementsOf)]);
  const answers = passages.relevant(goal, MAX_ANSWERS);
  const overview = records.slice(0, MAX_ANSWERS).map((record) => {
    const facts = leadingFacts(record, goal)
      .slice(0, 3)
      .map(({ label, value }) => `${label.toLowerCase()} ${value}`);
    return `${nameOf(record)}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`;
  });
  const done = seen
    .filter(({ verb }) => verb === 'create' || verb === 'update')
    .map(({ call, verb, collection, value }) => {
      const { id, changes, record } = call.params;
      const outcome =
        isObject(value) && isObject(value['error']) ? `refused (${String(value['error']['code'])})` : null;
      const what = `${verb} ${collection}${typeof id === 'string' ? ` ${id}` : ''} ${JSON.stringify(changes ?? record)}`;
      return outcome === null ? what : `${what}: ${outcome}`;
    });
  const lines = [
    ...(overview.length > 0 ? [`Found: ${overview.join('; ')}.`] : [`Nothing was found for: ${cut(goal, 200)}`]),
    ...answers,
    ...done.map((each) => `Asked for: ${each}.`),
  ];
  return lines.join('\n');
}

function observationsIn(messages: readonly ModelMessage[]): Observation[] {
  const calls = new Map(
    messages.flatMap((message) =>
      message.role === 'assistant' ? message.toolCalls.map((call) => [call.id, call] as const) : [],
    ),
  );
  return messages.flatMap((message) => {
    const call = message.role === 'tool' ? calls.get(message.toolCallId) : undefined;
    if (!call || message.role !== 'tool') return [];
    return [{ call, collection: collectionOf(call.name), verb: verbOf(call.name), value: parsed(message.text) }];
  });
}

/** The records in the result of a search or a read. */
function recordsIn(value: unknown): ContextRecord[] {
  if (!isObject(value)) return [];
  const listed: unknown[] = Array.isArray(value['records']) ? value['records'] : [value['record']];
  return listed.filter(
    (record): record is ContextRecord & Record<string, unknown> =>
      isObject(record) && typeof record['id'] === 'string' && isObject(record['fields']),
  );
}

/** The record fields that a tool accepts. */
function bodyOf(tool: ToolSpec, member: 'changes' | 'record'): Record<string, unknown> {
  const body = propertiesOf(tool)[member];
  return isObject(body) && isObject(body['properties']) ? body['properties'] : {};
}

function reasonOf(goal: string): string {
  return `The goal says so: ${cut(goal, MAX_SEARCH_TEXT)}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function propertiesOf({ parameters }: ToolSpec): Record<string, unknown> {
  const { properties } = parameters as { properties?: Record<string, unknown> };
  return properties ?? {};
}

const collectionOf = (name: string): string => name.split('__')[0]!;
const verbOf = (name: string): string => name.split('__').at(-1)!;
const labelKey = (label: string): string => fold(label).replaceAll(/[^\p{L}\p{N}]/gu, '');
