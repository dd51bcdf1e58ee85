import fastJson from 'fast-json-stringify';
import type { JsonSchema } from './field.js';

type Serializer = (value: unknown) => string;

const serializers = new WeakMap<JsonSchema, Serializer>();

/** Compiles the serializer of an answer as Fastify would, but once per schema: most are the answer of many routes. */
export function serializerOf(schema: JsonSchema): Serializer {
  let serializer = serializers.get(schema);
  if (!serializer) serializers.set(schema, (serializer = fastJson(schema)));
  return serializer;
}
