import { fieldsOf } from '#libs/http/field.js';
import { LinearPattern, PatternError } from '#libs/kernel/linear-pattern.js';
import type { Violation } from '#libs/kernel/problem.js';
import { kindOf, MAX_LENGTHS, MAX_NUMBERS } from '#libs/resource/records/custom-field-values.js';
import type { ResourceRegistry } from '#libs/resource/resource-registry.js';
import type { CustomField } from './custom-field.js';

/** What a definition says. */
export type Defined = Pick<
  CustomField,
  'recordType' | 'fieldType' | 'options' | 'min' | 'max' | 'pattern' | 'target' | 'defaultValue'
>;

const CHOICES = ['select', 'multi_select'];

/** Everything that is wrong with a definition, beyond the form of its members. */
export function definitionViolations(defined: Defined, registry: ResourceRegistry): Violation[] {
  const { fieldType, options, pattern, target } = defined;
  const hasOptions = CHOICES.includes(fieldType);
  const isReference = fieldType === 'reference';
  const found = [
    ...unknownType('/recordType', defined.recordType, registry, true),
    ...(hasOptions && options.length === 0
      ? [violation('/options', 'required', 'There is nothing to choose from.')]
      : []),
    ...(hasOptions || options.length === 0 ? [] : [notFor('/options', fieldType)]),
    ...boundViolations(defined),
    ...(pattern === null ? [] : patternViolations(fieldType, pattern)),
    ...(isReference && target === null ? [violation('/target', 'required', 'Say which records it names.')] : []),
    ...(target === null
      ? []
      : isReference
        ? unknownType('/target', target, registry, false)
        : [notFor('/target', fieldType)]),
  ];
  // A default can only be judged by a definition that makes sense.
  return found.length > 0 ? found : defaultViolations(defined);
}

function unknownType(pointer: string, type: string, registry: ResourceRegistry, withFields: boolean): Violation[] {
  const resource = registry.ofType(type);
  const known = resource && (!withFields || fieldsOf(resource.definition.create).has('customFields'));
  return known ? [] : [violation(pointer, 'unknown_record_type', 'There is no such type of record.')];
}

function boundViolations({ fieldType, min, max }: Defined): Violation[] {
  const [length, limit] = [MAX_LENGTHS[fieldType], MAX_NUMBERS[fieldType]];
  const given = Object.entries({ '/min': min, '/max': max }).filter(
    (each): each is [string, number] => each[1] !== null,
  );
  if (length === undefined && limit === undefined) return given.map(([pointer]) => notFor(pointer, fieldType));
  const [lowest, highest] = length === undefined ? [-limit!, limit!] : [0, length];
  const violations = given.flatMap(([pointer, value]) => {
    if (fieldType !== 'number' && !Number.isInteger(value))
      return [violation(pointer, 'invalid_type', 'The value must be a whole number.')];
    const isInside = value >= lowest && value <= highest;
    return isInside ? [] : [violation(pointer, 'out_of_range', `The value must be from ${lowest} to ${highest}.`)];
  });
  if (violations.length === 0 && min !== null && max !== null && min > max)
    return [violation('/max', 'out_of_range', 'The largest value is below the smallest.')];
  return violations;
}

function patternViolations(fieldType: string, pattern: string): Violation[] {
  if (fieldType !== 'text') return [notFor('/pattern', fieldType)];
  try {
    new LinearPattern(pattern);
    return [];
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return [violation('/pattern', 'invalid_pattern', error.message)];
  }
}

function defaultViolations(defined: Defined): Violation[] {
  const { fieldType, defaultValue } = defined;
  if (defaultValue === null) return [];
  if (fieldType === 'member' || fieldType === 'reference') return [notFor('/defaultValue', fieldType)];
  return kindOf(defined)
    .check(defaultValue)
    .map(({ at = '', code, detail }) => violation(`/defaultValue${at}`, code, detail));
}

function notFor(pointer: string, fieldType: string): Violation {
  return violation(pointer, 'not_applicable', `A field of the type ${fieldType} has no such thing.`);
}

function violation(pointer: string, code: string, detail: string): Violation {
  return { pointer, code, detail };
}
