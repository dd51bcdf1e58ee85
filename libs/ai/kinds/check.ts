import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { LRUCache } from 'lru-cache';
import type { Violation } from '#libs/kernel/problem.js';
import type { JobKind } from './kind.js';

const ajv = ajvOfKinds();
const ofKinds = new Map<string, ValidateFunction>();
/** Compiled schemas of recent tasks. */
const ofTasks = new LRUCache<string, ValidateFunction>({ max: 200 });

function ajvOfKinds(): Ajv2020 {
  const made = new Ajv2020({
    strict: true,
    strictTypes: false,
    strictRequired: false,
    allErrors: true,
    addUsedSchema: false,
  });
  formats.default(made);
  return made;
}

const CODES: Record<string, string> = {
  additionalProperties: 'unknown_field',
  enum: 'invalid_value',
  format: 'invalid_format',
  maxItems: 'too_many',
  maxLength: 'too_long',
  maximum: 'out_of_range',
  minItems: 'too_few',
  minLength: 'too_short',
  minimum: 'out_of_range',
  pattern: 'invalid_format',
  required: 'required',
  type: 'invalid_type',
  uniqueItems: 'not_unique',
};

/** All violations of a job's input, with their positions below `/input`. */
export function inputViolations(kind: JobKind, input: unknown): Violation[] {
  let validate = ofKinds.get(kind.key);
  if (!validate) ofKinds.set(kind.key, (validate = ajv.compile(kind.inputSchema)));
  if (validate(input)) return [];
  return validate.errors!.filter(({ keyword }) => keyword !== 'anyOf' && keyword !== 'if').map(violationOf);
}

/** Violations in the types and the number of a job's targets. */
export function targetViolations(
  { key, targets: { objects, min, max } }: JobKind,
  targets: readonly { object: string }[],
): Violation[] {
  const count = max === 0 ? 'none' : min === max ? `${min}` : `${min} to ${max}`;
  if (targets.length < min)
    return [
      {
        pointer: '/targets',
        code: min > 0 && targets.length === 0 ? 'required' : 'too_few',
        detail: `${key} takes ${count} records.`,
      },
    ];
  if (targets.length > max)
    return [{ pointer: '/targets', code: 'too_many', detail: `${key} takes ${count} records.` }];
  if (objects === 'any') return [];
  return targets.flatMap(({ object }, index) =>
    objects.includes(object)
      ? []
      : [{ pointer: `/targets/${index}/object`, code: 'invalid_value', detail: `${key} takes ${objects.join(', ')}.` }],
  );
}

/**
 * The JSON in a model's response; undefined if none matches the schema. Removes a Markdown fence, which models often
 * add.
 */
export function readOutput(text: string | null, schema: object | null): unknown {
  if (text === null || schema === null) return undefined;
  const bare = text
    .trim()
    .replace(/^```[a-z]*\n/i, '')
    .replace(/\n```$/, '');
  try {
    const value: unknown = JSON.parse(bare);
    return fits(value, schema) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a value matches a schema of a kind or a task. */
export function fits(value: unknown, schema: object): boolean {
  const key = JSON.stringify(schema);
  let validate = ofTasks.get(key);
  // A separate instance prevents tenants' schemas from accumulating in a shared one.
  if (!validate) ofTasks.set(key, (validate = ajvOfKinds().compile(schema)));
  return validate(value);
}

function violationOf({ instancePath, keyword, params, message }: ErrorObject): Violation {
  const { missingProperty, additionalProperty } = params as { missingProperty?: string; additionalProperty?: string };
  const member = missingProperty ?? additionalProperty;
  const below = member === undefined ? '' : `/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return {
    pointer: `/input${instancePath}${below}`,
    code: CODES[keyword] ?? 'invalid_value',
    detail: `The value ${message!.replace('NOT', 'not')}.`,
  };
}
