import type { JsonSchema } from '#libs/http/field.js';
import { targetOf } from '#libs/http/openapi/references.js';
import type { KnownOperation } from '../operations/operation-catalogue.js';

const JSON_TYPE = 'application/json';
/** Headers that a tool accepts as arguments, by argument name. */
export const HEADER_ARGUMENTS = { idempotencyKey: 'Idempotency-Key', ifMatch: 'If-Match' } as const;

/** Whether request and response of an operation are JSON, so that a tool can pass them on. */
export function speaksJson({ operation }: KnownOperation): boolean {
  const success = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
  const contents = [operation.requestBody?.content, ...success.map(([, { content }]) => content)];
  return contents.every((content) => content === undefined || JSON_TYPE in content);
}

/** JSON Schema of the arguments of an operation's tool, without references. */
export function inputSchemaOf({ operation }: KnownOperation, document: object): JsonSchema {
  const { parameters, requestBody } = operation;
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  for (const place of ['path', 'query'] as const) {
    const own = parameters.filter((parameter) => parameter.in === place);
    if (own.length === 0) continue;
    const needed = own.filter((parameter) => parameter.required).map(({ name }) => name);
    const members = own.map(({ name, description, schema }) => [name, { ...whole(document, schema), description }]);
    properties[place] = objectOf(Object.fromEntries(members) as Record<string, JsonSchema>, needed);
    if (needed.length > 0) required.push(place);
  }
  if (requestBody) {
    properties['body'] = whole(document, requestBody.content[JSON_TYPE]!.schema);
    if (requestBody.required) required.push('body');
  }
  for (const [argument, header] of Object.entries(HEADER_ARGUMENTS)) {
    const parameter = parameters.find(({ name }) => name === header);
    if (parameter) properties[argument] = { type: 'string', description: parameter.description };
  }
  return objectOf(properties, required);
}

function objectOf(properties: Record<string, JsonSchema>, required: readonly string[]): JsonSchema {
  return {
    type: 'object',
    properties,
    ...(required.length > 0 ? { required: [...required] } : {}),
    additionalProperties: false,
  };
}

/** A schema with references resolved and without examples. */
function whole(document: object, schema: JsonSchema = {}): JsonSchema {
  const { $ref, allOf, examples: _, ...own } = schema as JsonSchema & { $ref?: string; allOf?: JsonSchema[] };
  if ($ref !== undefined)
    return { ...whole(document, targetOf(document, $ref) as JsonSchema), ...without(document, own) };
  if (allOf?.length === 1) return { ...whole(document, allOf[0]), ...without(document, own) };
  return { ...without(document, own), ...(allOf ? { allOf: allOf.map((each) => whole(document, each)) } : {}) };
}

/** Resolves references in the keywords of a schema. Property names are not keywords. */
function without(document: object, keywords: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(keywords).map(([keyword, value]) => {
      if (keyword === 'properties')
        return [
          keyword,
          Object.fromEntries(
            Object.entries(value as Record<string, JsonSchema>).map(([name, each]) => [name, whole(document, each)]),
          ),
        ];
      if (Array.isArray(value) && ['anyOf', 'oneOf', 'prefixItems'].includes(keyword))
        return [keyword, value.map((each) => whole(document, each as JsonSchema))];
      if (['items', 'additionalProperties', 'propertyNames'].includes(keyword) && typeof value === 'object')
        return [keyword, whole(document, value as JsonSchema)];
      return [keyword, value];
    }),
  );
}
