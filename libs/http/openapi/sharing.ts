import { createHash } from 'node:crypto';
import { operationsOf, type Answer, type Parameter, type Paths, type Reference } from './parts.js';
import { id, type JsonSchema } from '../field.js';
import type { Hooks } from './webhooks.js';
import { lastName } from './references.js';

/** A position in the document: the object that contains a value, and its key. */
type Place<T> = readonly [holder: Record<string, T | Reference>, key: string];

/** Turns parameters of several operations into components. */
export function shareParameters(paths: Paths, components: Record<string, Parameter>): void {
  const places = operationsOf(paths).flatMap(({ operation: { parameters = [] } }) =>
    parameters.map((_, index): Place<Parameter> => [parameters as never, String(index)]),
  );
  share({ at: 'parameters', components }, places, ({ name }) => pascalName(name));
}

/** Turns responses of several operations into components. */
export function shareAnswers(paths: Paths, components: Record<string, Answer>): void {
  const places = operationsOf(paths).flatMap(({ operation: { responses } }) =>
    Object.keys(responses).map((status): Place<Answer> => [responses, status]),
  );
  share({ at: 'responses', components }, places, answerName);
}

/** Turns fields of several models, such as `tags`, into components. */
export function shareFields(components: Record<string, JsonSchema>): void {
  const places = Object.values(components).flatMap(({ properties = {} }) =>
    Object.keys(properties as object).map((name): Place<JsonSchema> => [properties as never, name]),
  );
  share({ at: 'schemas', components }, places, (_, name) => pascalName(name));
}

/** Turns ids and nullable ids into components. Each schema refers to them with its own description. */
export function shareIds(components: Record<string, JsonSchema>, ...trees: object[]): void {
  const { schema } = id();
  const kinds = { Uuid: schema, UuidOrNull: { ...schema, type: ['string', 'null'] } };
  const names = new Map(Object.entries(kinds).map(([name, kind]) => [JSON.stringify(kind), name]));
  referToIds([{ ...components }, ...trees], names);
  Object.assign(components, kinds);
}

function referToIds(tree: object, names: ReadonlyMap<string, string>): void {
  for (const value of Object.values(tree) as unknown[]) {
    if (typeof value !== 'object' || value === null) continue;
    const { type, format, pattern } = value as JsonSchema;
    const name = names.get(JSON.stringify({ type, format, pattern }));
    if (name === undefined) {
      referToIds(value, names);
      continue;
    }
    for (const keyword of ['type', 'format', 'pattern']) delete (value as JsonSchema)[keyword];
    (value as JsonSchema)['$ref'] = `#/components/schemas/${name}`;
  }
}

/** Turns the data of several events of a subject into components. */
export function shareEventData(hooks: Hooks, components: Record<string, JsonSchema>): void {
  const places = Object.values(hooks).flatMap(({ post }): Place<JsonSchema>[] => {
    const { properties } = post.requestBody.content['application/json'].schema;
    return properties ? [[properties, 'data']] : [];
  });
  share({ at: 'schemas', components }, places, (_, __, { type }) => {
    const { const: eventType } = type as { const: string };
    return `${pascalName(eventType.replace(/\.[^.]+$/, ''))}EventData`;
  });
}

/** Of answers without a model. */
const UNMODELLED: Record<string, string> = { 200: 'File', 204: 'Empty', 206: 'FileRange', 304: 'NotModified' };

function answerName({ content = {} }: Answer, status: string): string {
  const { $ref } = (Object.values(content)[0]?.schema ?? {}) as Partial<Reference>;
  return $ref === undefined ? (UNMODELLED[status] ?? `Answer${status}`) : lastName($ref);
}

/**
 * Moves repeated values into a section of the components and leaves references in their place. Of different values with
 * the same name the one with the most places has it. The other schemas stay where they are, and other components add
 * letters that depend on their text alone: a number would change with each new type, and with it the names in generated
 * clients.
 */
function share<T extends object>(
  section: { at: string; components: Record<string, T> },
  places: readonly Place<T>[],
  nameOf: (value: T, key: string, holder: Place<T>[0]) => string,
): void {
  const byText = Map.groupBy(
    places.filter(([holder, key]) => !('$ref' in holder[key]!)),
    ([holder, key]) => JSON.stringify(holder[key]),
  );
  const repeated = [...byText].filter(([, same]) => same.length > 1).sort(([, a], [, b]) => b.length - a.length);
  for (const [text, same] of repeated) {
    const [holder, key] = same[0]!;
    const value = holder[key] as T;
    const wanted = nameOf(value, key, holder);
    const isTaken = wanted in section.components;
    if (isTaken && section.at === 'schemas') continue;
    const name = isTaken ? `${wanted}.${lettersOf(text)}` : wanted;
    section.components[name] = value;
    for (const [each, at] of same) each[at] = { $ref: `#/components/${section.at}/${name}` };
  }
}

/** Five letters for a text: the same for the same text, whatever else the document says. */
export function lettersOf(text: string): string {
  return Array.from(createHash('sha256').update(text).digest().subarray(0, 5), (byte) =>
    String.fromCharCode(97 + (byte % 26)),
  ).join('');
}

/** A name as a component name: `createdAt[in]` becomes `CreatedAtIn`. */
function pascalName(text: string): string {
  return text.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9]?)/g, (_, letter: string) => letter.toUpperCase());
}
