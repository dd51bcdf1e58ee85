import { escapePointer } from '#libs/http/field.js';
import type { Violation } from '#libs/kernel/problem.js';

/** A variable, the only construct of templates: there are no conditions, loops, paths or code. */
const VARIABLE = /\{\{ ?([a-z][A-Za-z0-9_]{0,59}) ?\}\}/g;
const MAX_VARIABLES = 50;

/** Possible values of a variable. */
export type VariableValue = string | number | boolean;

/** Names of the variables in a template, without duplicates, in order of appearance. */
export function variablesIn(template: string): string[] {
  return [...new Set([...template.matchAll(VARIABLE)].map(([, name]) => name!))];
}

/** Violations of a template. */
export function templateViolations(template: string, pointer: string): Violation[] {
  const rest = template.replaceAll(VARIABLE, '');
  const faults: Violation[] = [];
  if (rest.includes('{{') || rest.includes('}}'))
    faults.push({
      pointer,
      code: 'invalid_template',
      detail: 'Double braces hold the name of a variable and nothing else, such as {{customerName}}.',
    });
  if (variablesIn(template).length > MAX_VARIABLES)
    faults.push({ pointer, code: 'too_many', detail: `A template may have at most ${MAX_VARIABLES} variables.` });
  return faults;
}

/** Missing variables, values without a variable, and values that are not strings, numbers or booleans. */
export function variableViolations(
  variables: readonly string[],
  values: Readonly<Record<string, unknown>>,
  pointer: string,
): Violation[] {
  const place = (name: string) => `${pointer}/${escapePointer(name)}`;
  const missing = variables.filter((name) => !Object.hasOwn(values, name));
  const unknown = Object.keys(values).filter((name) => !variables.includes(name));
  const unfit = variables.filter((name) => Object.hasOwn(values, name) && !isValue(values[name]));
  return [
    ...missing.map((name) => ({
      pointer: place(name),
      code: 'missing_variable',
      detail: 'The template has this variable, and there is no value for it.',
    })),
    ...unknown.map((name) => ({
      pointer: place(name),
      code: 'unknown_variable',
      detail: 'The template has no such variable.',
    })),
    ...unfit.map((name) => ({
      pointer: place(name),
      code: 'invalid_type',
      detail: 'The value is a text, a number, true or false.',
    })),
  ];
}

function isValue(value: unknown): value is VariableValue {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/** The template with its variables replaced. Values are plain text and never interpreted as variables. */
export function filled(template: string, values: Readonly<Record<string, VariableValue>>): string {
  return template.replaceAll(VARIABLE, (_, name: string) => String(values[name]));
}
