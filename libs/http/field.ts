import { itemsOf } from '#libs/kernel/list-text.js';
import { ValidateBy, validateSync, type ValidationArguments, type ValidationError } from 'class-validator';
import { cut } from '#libs/kernel/cut.js';
import { isUuid } from '#libs/kernel/id.js';
import { withoutUnseen } from '#libs/kernel/line.js';
import { MAX_VIOLATIONS, type Violation } from '#libs/kernel/problem.js';
import { didYouMean } from './problems/hints.js';
import { isLine, textFault, type TextBounds } from './text-check.js';

/** A JSON Schema (2020-12). */
export type JsonSchema = Record<string, unknown>;
export type Fault = Omit<Violation, 'pointer' | 'parameter' | 'header'> & { at?: string };

/** A kind of value: its schema, its check, and how it is parsed from a query. */
export interface Kind {
  schema: JsonSchema;
  /** Faults of a value that is not null; `at` is a JSON pointer below the field. */
  check(value: unknown): Fault[];
  /** Parses the text of a query parameter; undefined if the text is invalid. */
  parse(text: string): unknown;
  /** Parses a parameter that occurs several times; without it, the parameter may occur once. */
  parseRepeated?(texts: readonly string[]): unknown;
  /** Faults of texts that cannot be parsed, where there is more to say than `check` says of them. */
  parseFaults?(texts: readonly string[]): Fault[];
  /** The one spelling in which a valid value is kept; bodies have it after validation. */
  spell?: (value: unknown) => unknown;
  /** The class of a nested object, for the OpenAPI document. */
  model?: ModelClass;
}

export type ModelClass<T extends object = object> = abstract new (...args: never[]) => T;

export interface FieldOptions {
  description: string;
  example?: unknown;
  /** May be absent from bodies. Responses contain every field. */
  optional?: boolean;
  /** May be null. */
  nullable?: boolean;
}

export interface FieldSpec extends FieldOptions {
  kind: Kind;
}

const FIELDS = Symbol('fields');
const FOUND = Symbol('found');
const fault = (code: string, detail: string): Fault[] => [{ code, detail }];
const none: Fault[] = [];

/** Fields of a class by name, inherited ones first. */
export function fieldsOf(model: ModelClass): ReadonlyMap<string, FieldSpec> {
  return ((model as { [FIELDS]?: Map<string, FieldSpec> })[FIELDS] ??= new Map());
}

function declare(model: ModelClass, name: string, spec: FieldSpec): void {
  const holder = model as { [FIELDS]?: Map<string, FieldSpec> };
  if (!Object.hasOwn(holder, FIELDS)) holder[FIELDS] = new Map(fieldsOf(model));
  holder[FIELDS]!.set(name, spec);
}

/**
 * One decorator declares everything about a field: kind, bounds, meaning. It feeds class-validator, the OpenAPI
 * document, the response serializer and the event schemas.
 */
export function Field(kind: Kind, options: FieldOptions): PropertyDecorator {
  return (prototype, property) => declare(prototype.constructor as ModelClass, String(property), { ...options, kind });
}

/** Adds fields to a generated class as if they were declared with {@link Field}. */
export function addFields(model: ModelClass, fields: Iterable<readonly [string, FieldSpec]>): void {
  for (const [name, { kind, ...options }] of fields) Field(kind, options)(model.prototype as object, name);
}

/** A fault in the value of a field. */
export function faultsOf(spec: FieldSpec, value: unknown): Fault[] {
  if (value === undefined) return spec.optional ? none : fault('required', 'The field is required.');
  if (value === null) return spec.nullable ? none : fault('not_nullable', 'The field cannot be null.');
  return spec.kind.check(value);
}

/**
 * Text that PostgreSQL can store: well-formed Unicode without NUL. A short one is one line,
 * without controls and direction overrides, and is kept without marks that nobody sees.
 */
export function text(bounds: TextBounds): Kind {
  const { min = 0, max, pattern, format } = bounds;
  const kind: Kind = {
    schema: {
      type: 'string',
      ...(min > 0 ? { minLength: min } : {}),
      maxLength: max,
      ...(pattern ? { pattern: pattern.source } : {}),
      ...(format ? { format } : {}),
    },
    check: (value) => {
      const found = textFault(bounds, value);
      return found ? [found] : none;
    },
    parse: (value) => value,
  };
  return isLine(bounds) ? spelled(kind, withoutUnseen) : kind;
}

/** A kind of text that is kept, and looked for by queries, in one spelling. */
export function spelled(kind: Kind, spell: (text: string) => string): Kind {
  return { ...kind, spell: (value) => spell(value as string), parse: spell };
}

/** A single-line text that names something: not only white space. */
export function name(max = 200): Kind {
  return text({ min: 1, max, pattern: /\S/ });
}

function numeric(type: 'integer' | 'number', bounds: { min: number; max: number }): Kind {
  const { min, max } = bounds;
  return {
    schema: { type, minimum: min, maximum: max },
    check: (value) => {
      if (typeof value !== 'number' || !Number.isFinite(value) || (type === 'integer' && !Number.isInteger(value)))
        return fault('invalid_type', `The value must be ${type === 'integer' ? 'a whole' : 'a'} number.`);
      if (value < min || value > max) return fault('out_of_range', `The value must be from ${min} to ${max}.`);
      return none;
    },
    parse: (value) => (/^-?\d{1,17}(\.\d{1,10})?$/.test(value) ? Number(value) : undefined),
  };
}

export const integer = (bounds: { min: number; max: number }): Kind => numeric('integer', bounds);
export const number = (bounds: { min: number; max: number }): Kind => numeric('number', bounds);

/** One of a fixed set of lower snake_case words. */
export function oneOf(values: readonly string[]): Kind {
  const known = new Set(values);
  return {
    schema: { type: 'string', enum: [...values] },
    check: (value) =>
      typeof value === 'string' && known.has(value)
        ? none
        : fault('invalid_value', `The value must be one of ${values.join(', ')}.${meant(value, values)}`),
    parse: (value) => value,
  };
}

/** Suggests the value of a set that was probably meant. */
export function meant(value: unknown, values: readonly string[]): string {
  return typeof value === 'string' ? didYouMean(value, values) : '';
}

/** A constant text, such as a record's type key. */
export function constant(value: string): Kind {
  return {
    schema: { type: 'string', const: value },
    check: (given) => (given === value ? none : fault('invalid_value', `The value must be ${value}.`)),
    parse: (given) => given,
  };
}

export function flag(): Kind {
  return {
    schema: { type: 'boolean' },
    check: (value) => (typeof value === 'boolean' ? none : fault('invalid_type', 'The value must be true or false.')),
    parse: (value) => (value === 'true' ? true : value === 'false' ? false : undefined),
  };
}

/** A UUID in lower case. */
export function id(): Kind {
  return {
    schema: {
      type: 'string',
      format: 'uuid',
      pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$',
    },
    check: (value) => (isUuid(value) ? none : fault('invalid_id', 'The value must be a UUID in lower case.')),
    parse: (value) => value,
  };
}

/** The offset must be below 16 hours: PostgreSQL accepts no other, and none is in use. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-](0\d|1[0-5]):[0-5]\d)$/;

/**
 * The first year that callers cannot use. Dates can be stored up to the year 9999. Calculations from a given day
 * (terms, months, time zones) therefore have a thousand years of room, and no later action fails because of it.
 */
const END_YEAR = '9000';
const END_MS = Date.parse(`${END_YEAR}-01-01T00:00:00Z`);

/** RFC 3339 with an offset, from 1970 to 8999. Responses are in UTC with milliseconds. */
export function instant(): Kind {
  return {
    schema: { type: 'string', format: 'date-time' },
    check: (value) => {
      const ms = typeof value === 'string' && INSTANT.test(value) ? Date.parse(value) : NaN;
      if (Number.isNaN(ms) || !isCalendarDay(String(value).slice(0, 10)))
        return fault('invalid_instant', 'The value must be an RFC 3339 instant such as 2026-11-21T09:15:02.114Z.');
      return ms >= 0 && ms < END_MS ? none : fault('out_of_range', 'The year must be from 1970 to 8999.');
    },
    parse: (value) => value,
  };
}

function isCalendarDay(day: string): boolean {
  const ms = Date.parse(`${day}T00:00:00Z`);
  return /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day);
}

/** A calendar date, `YYYY-MM-DD`, from 1900 to 8999. */
export function civilDate(): Kind {
  return {
    schema: { type: 'string', format: 'date' },
    check: (value) => {
      if (typeof value !== 'string' || !isCalendarDay(value))
        return fault('invalid_date', 'The value must be a date such as 2026-11-21.');
      return value >= '1900' && value < END_YEAR ? none : fault('out_of_range', 'The year must be from 1900 to 8999.');
    },
    parse: (value) => value,
  };
}

/**
 * A list; in a query comma-separated, with quotes around items that contain a comma, or as a repeated parameter with one
 * item each.
 */
export function listOf(kind: Kind, bounds: { min?: number; max: number; unique?: boolean }): Kind {
  const { min = 0, max, unique = false } = bounds;
  return {
    schema: {
      type: 'array',
      items: kind.schema,
      ...(min > 0 ? { minItems: min } : {}),
      maxItems: max,
      ...(unique ? { uniqueItems: true } : {}),
    },
    ...(kind.model ? { model: kind.model } : {}),
    check: (value) => {
      if (!Array.isArray(value)) return fault('invalid_type', 'The value must be a list.');
      if (value.length > max) return fault('too_many', `The list may have at most ${max} items.`);
      if (value.length < min) return fault('too_few', `The list must have at least ${min} item${min > 1 ? 's' : ''}.`);
      const found: Fault[] = [];
      for (const [index, item] of value.entries()) {
        if (found.length >= MAX_VIOLATIONS) break;
        const faults = item === null ? fault('not_nullable', 'The item cannot be null.') : kind.check(item);
        found.push(...faults.map((each) => ({ ...each, at: `/${index}${each.at ?? ''}` })));
      }
      const kept = (item: unknown): unknown => kind.spell?.(item) ?? item;
      if (found.length === 0 && unique && new Set(value.map(kept)).size < value.length)
        return fault('not_unique', 'The list holds a value twice.');
      return found;
    },
    ...(kind.spell ? { spell: (value) => (value as unknown[]).map((item) => kind.spell!(item)) } : {}),
    parse: (value) => parsed([itemsOf(value)], kind),
    parseRepeated: (texts) =>
      parsed(
        texts.map((each) => (isValid(kind, each) ? [each] : itemsOf(each))),
        kind,
      ),
    parseFaults: (texts) =>
      texts.some((each) => itemsOf(each) === null)
        ? fault('invalid_format', 'A value that begins with a quote ends with one; in it, write "" for a quote.')
        : none,
  };
}

/** The values of lists; undefined if one of them cannot be read. */
function parsed(lists: readonly (string[] | null)[], kind: Kind): unknown {
  const values = lists.flatMap((items) => items?.map((item) => kind.parse(item)) ?? [undefined]);
  return values.includes(undefined) ? undefined : values;
}

function isValid(kind: Kind, text: string): boolean {
  const value = kind.parse(text);
  return value !== undefined && kind.check(value).length === 0;
}

/** An object of another declared class. */
export function nested(model: ModelClass): Kind {
  return {
    schema: { $ref: `#/components/schemas/${model.name}` },
    model,
    check: (value) => objectFaults(model, value),
    spell: (value) => spellFields(model, value as Record<string, unknown>),
    parse: () => undefined,
  };
}

/** An object with arbitrary members. Only for responses. */
export function anyObject(schema: JsonSchema = { type: 'object', additionalProperties: true }): Kind {
  return { schema, check: () => none, parse: () => undefined };
}

/** Objects of another declared class, by keys that the platform chooses. Only for responses. */
export function byKey(model: ModelClass): Kind {
  return { ...anyObject({ type: 'object', additionalProperties: nested(model).schema }), model };
}

/**
 * All faults of an object. class-validator checks the fields of its class. For a nested object, the constraint of its
 * field calls this function again.
 */
export function objectFaults(model: ModelClass, value: unknown): Fault[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return fault('invalid_type', 'The value must be an object.');
  const fields = fieldsOf(model);
  const unknown = unknownMembers(value, fields).map((member) => ({
    ...unknownField(member, fields.keys()),
    at: `/${escapePointer(member)}`,
  }));
  if (fields.size === 0) return unknown;
  registerRules(model);
  const faults = [...unknown, ...validateSync(subjectOf(model, value), { forbidUnknownValues: true }).flatMap(foundBy)];
  return faults.length > 0 ? faults : (wholes.get(model)?.(value) ?? none);
}

/** Puts the values of a valid object into the spelling in which they are kept. */
export function spellFields(model: ModelClass, value: Record<string, unknown>): Record<string, unknown> {
  const fields = fieldsOf(model);
  for (const [member, given] of Object.entries(value)) {
    const spell = given === null ? undefined : fields.get(member)?.kind.spell;
    if (spell) value[member] = spell(given);
  }
  return value;
}

/**
 * The object passed to class-validator. Its errors have one text per constraint, but a field can have several faults
 * with code and position, so the constraint stores them here.
 */
interface Subject {
  [field: string]: unknown;
  [FOUND]: Map<string, Fault[]>;
}

/**
 * An instance of a class with only those members of an object that are declared fields. class-validator must not see
 * other members: it finds its rules through `constructor`, and its whitelist allows names of `Object.prototype`.
 */
function subjectOf(model: ModelClass, value: object): Subject {
  const subject = Object.create(model.prototype as object) as Subject;
  subject[FOUND] = new Map();
  const fields = fieldsOf(model);
  for (const [member, each] of Object.entries(value)) if (fields.has(member)) subject[member] = each;
  return subject;
}

function foundBy({ target, property }: ValidationError): Fault[] {
  const at = `/${escapePointer(property)}`;
  return (target as Subject)[FOUND].get(property)!.map((each) => ({ ...each, at: `${at}${each.at ?? ''}` }));
}

const wholes = new WeakMap<ModelClass, (value: object) => Fault[]>();

/** Adds a check of whole objects of a class, for when each of their fields is valid. */
export function checkWhole(model: ModelClass, check: (value: object) => Fault[]): void {
  wholes.set(model, check);
}

const registered = new WeakSet<ModelClass>();

/**
 * Registers a constraint with class-validator for each field of a class, before the first check. class-validator
 * searches all registered classes for each object, so classes used only in responses are not registered (ADR 39).
 */
function registerRules(model: ModelClass): void {
  if (registered.has(model)) return;
  registered.add(model);
  for (const [property, spec] of fieldsOf(model))
    ValidateBy({
      name: 'field',
      validator: {
        validate: (value: unknown, given?: ValidationArguments) => {
          const faults = faultsOf(spec, value);
          if (faults.length > 0) (given!.object as Subject)[FOUND].set(property, faults);
          return faults.length === 0;
        },
      },
    })(model.prototype as object, property);
}

/**
 * Unknown members of an object. Limited to the number that a response lists, because each requires a search for
 * similar names.
 */
function unknownMembers(value: object, fields: ReadonlyMap<string, unknown>): string[] {
  return Object.keys(value)
    .filter((member) => !fields.has(member))
    .slice(0, MAX_VIOLATIONS);
}

function unknownField(member: string, known: Iterable<string>): Fault {
  const detail = `The resource has no such field, or it cannot be set.${didYouMean(member, known)}`;
  return { code: 'unknown_field', detail };
}

/** A member name as a token of a JSON pointer. `Source:` RFC 6901. */
export function escapePointer(member: string): string {
  return cut(member, 200).toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1');
}
