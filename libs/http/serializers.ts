import fastJson from 'fast-json-stringify';
import type { JsonSchema } from './field.js';
import { withoutRequired } from './schema.js';
import { isSparse } from './sparse.js';

type Serializer = (value: unknown) => string;

const serializers = new WeakMap<JsonSchema, Serializer>();

/**
 * The response serializer as Fastify would compile it, but compiled once per schema, because most are used by many
 * routes. Compiled at the first response, because a process uses only a few of the hundreds.
 */
export function serializerOf(schema: JsonSchema): Serializer {
  let serializer = serializers.get(schema);
  if (!serializer) {
    let compiled: Serializer | null = null;
    let ofSparse: Serializer | null = null;
    serializer = (value) =>
      isSparse(value)
        ? (ofSparse ??= fastJson(withoutRequired(schema)) as Serializer)(value)
        : (compiled ??= fastJson(schema) as Serializer)(value);
    serializers.set(schema, serializer);
  }
  return serializer;
}
