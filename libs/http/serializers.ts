import fastJson from 'fast-json-stringify';
import type { JsonSchema } from './field.js';

type Serializer = (value: unknown) => string;

const serializers = new WeakMap<JsonSchema, Serializer>();

/**
 * The serializer of an answer as Fastify would compile it, but once per schema: most are the answer of many routes. It is
 * compiled for the first answer, since a process gives only few of the hundreds there are.
 */
export function serializerOf(schema: JsonSchema): Serializer {
  let serializer = serializers.get(schema);
  if (!serializer) {
    let compiled: Serializer | null = null;
    serializer = (value) => (compiled ??= fastJson(schema) as Serializer)(value);
    serializers.set(schema, serializer);
  }
  return serializer;
}
