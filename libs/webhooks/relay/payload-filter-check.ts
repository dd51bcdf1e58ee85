import { escapePointer, flag, type Kind, listOf, oneOf, text } from '#libs/http/field.js';
import type { Violation } from '#libs/kernel/problem.js';
import { FILTER_OPERATORS, type FilterOperator, MAX_CONDITIONS, MAX_LEVELS } from './payload-filter.js';

type Fault = ReturnType<Kind['check']>[number];
type Members = Record<string, unknown>;

const MAX_VALUES = 50;
const FIELD = text({ min: 1, max: 100, pattern: /^[a-z][A-Za-z0-9]*(\.[A-Za-z][A-Za-z0-9]*)*$/ });
const OPERATOR = oneOf(FILTER_OPERATORS);
const TEXT = text({ max: 500 });
const BEGINNING = text({ min: 1, max: 500 });
const FLAG = flag();

/** A string, a number or a boolean. */
const SCALAR: Kind = {
  schema: { type: ['string', 'number', 'boolean'] },
  check: (value) => (typeof value === 'boolean' ? [] : orderedFaults(value, 'a text, a number, true or false')),
  parse: () => undefined,
};
const SCALARS = listOf(SCALAR, { min: 1, max: MAX_VALUES });

/** Violations in the value of a condition, by its operator. */
const VALUE_FAULTS: Record<FilterOperator, (value: unknown) => Fault[]> = {
  eq: (value) => (value === null ? [] : SCALAR.check(value)),
  in: (value) => SCALARS.check(value),
  exists: (value) => FLAG.check(value),
  gt: (value) => orderedFaults(value, 'a text or a number'),
  gte: (value) => orderedFaults(value, 'a text or a number'),
  lt: (value) => orderedFaults(value, 'a text or a number'),
  lte: (value) => orderedFaults(value, 'a text or a number'),
  starts_with: (value) => BEGINNING.check(value),
};

function orderedFaults(value: unknown, wanted: string): Fault[] {
  if (typeof value === 'string') return TEXT.check(value);
  return Number.isFinite(value) ? [] : [{ code: 'invalid_type', detail: `The value must be ${wanted}.` }];
}

/** All violations of a filter, each with its position below `pointer`. Accepts any value of any depth. */
export function checkFilter(value: unknown, pointer: string): Violation[] {
  return filterFaults(value).map(({ at = '', ...fault }) => ({ pointer: `${pointer}${at}`, ...fault }));
}

/** A filter as a field of a request body. The schema describes its first level; the check covers all levels. */
export function payloadFilter(): Kind {
  const below = { type: 'object', description: 'A filter again.', additionalProperties: true };
  const list = { type: 'array', minItems: 1, maxItems: MAX_CONDITIONS, items: below };
  return {
    schema: {
      type: 'object',
      properties: {
        field: { ...FIELD.schema, description: 'A field of the `data`; a dot leads into an object.' },
        op: { ...OPERATOR.schema, description: 'How it is compared.' },
        value: {
          type: ['string', 'number', 'boolean', 'array', 'null'],
          items: {},
          description: 'Value for the comparison; a list for `in`, true or false for `exists`.',
        },
        and: { ...list, description: 'Filters that must all match.' },
        or: { ...list, description: 'Filters of which one must match.' },
        not: { ...below, description: 'A filter that must not match.' },
      },
      additionalProperties: false,
    },
    check: filterFaults,
    parse: () => undefined,
  };
}

function filterFaults(value: unknown): Fault[] {
  const found = { faults: [], conditions: 0 };
  checkNode(value, '', 1, found);
  if (found.conditions <= MAX_CONDITIONS) return found.faults;
  return [{ code: 'too_many', detail: `A filter may have at most ${MAX_CONDITIONS} conditions.` }, ...found.faults];
}

interface Found {
  faults: Fault[];
  conditions: number;
}

const COMBINATORS = ['and', 'or', 'not'] as const;
const CONDITION_MEMBERS = ['field', 'op', 'value'] as const;
const MISSING: Fault[] = [{ code: 'required', detail: 'The field is required.' }];
const STRANGER: Fault = {
  code: 'unknown_field',
  detail: 'A condition has `field`, `op` and `value`; `and`, `or` and `not` each stand alone.',
};

/** An event has no caller who could be meant. */
const CALLER: Fault = {
  code: 'not_applicable',
  detail: 'Nobody calls when an event is sent: give the id of a member instead of `me`.',
};

function checkNode(value: unknown, at: string, level: number, found: Found): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    found.faults.push({ at, code: 'invalid_type', detail: 'A filter is an object.' });
    return;
  }
  const node = value as Members;
  const combinator = COMBINATORS.find((each) => Object.hasOwn(node, each));
  checkMembers(node, combinator ? [combinator] : CONDITION_MEMBERS, at, found);
  if (!combinator) checkCondition(node, at, found);
  else if (level === MAX_LEVELS)
    found.faults.push({ at, code: 'too_deep', detail: `A filter may have at most ${MAX_LEVELS} levels.` });
  else if (combinator === 'not') checkNode(node['not'], `${at}/not`, level + 1, found);
  else checkNodes(node[combinator], `${at}/${combinator}`, level + 1, found);
}

function checkNodes(value: unknown, at: string, level: number, found: Found): void {
  const add = (code: string, detail: string) => found.faults.push({ at, code, detail });
  if (!Array.isArray(value)) add('invalid_type', 'The value must be a list.');
  else if (value.length === 0) add('too_few', 'The list must have at least 1 item.');
  else if (value.length > MAX_CONDITIONS) add('too_many', `The list may have at most ${MAX_CONDITIONS} items.`);
  else value.forEach((each, index) => checkNode(each, `${at}/${index}`, level, found));
}

function checkCondition(node: Members, at: string, found: Found): void {
  found.conditions++;
  const operator = FILTER_OPERATORS.find((each) => each === node['op']);
  const checks: Record<(typeof CONDITION_MEMBERS)[number], (value: unknown) => Fault[]> = {
    field: (value) => FIELD.check(value),
    op: (value) => OPERATOR.check(value),
    // Without an operator the value cannot be checked.
    value: (value) => (operator ? VALUE_FAULTS[operator](value) : []),
  };
  if (typeof node['field'] === 'string' && /Ids?$/.test(node['field']) && [node['value']].flat().includes('me'))
    found.faults.push({ at: `${at}/value`, ...CALLER });
  for (const member of CONDITION_MEMBERS) {
    const value = node[member];
    const faults = value === undefined ? MISSING : checks[member](value);
    found.faults.push(...faults.map((fault) => ({ ...fault, at: `${at}/${member}${fault.at ?? ''}` })));
  }
}

function checkMembers(node: Members, known: readonly string[], at: string, found: Found): void {
  for (const member of Object.keys(node))
    if (!known.includes(member)) found.faults.push({ ...STRANGER, at: `${at}/${escapePointer(member)}` });
}
