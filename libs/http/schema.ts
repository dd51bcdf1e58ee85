import { fieldsOf, type FieldSpec, type JsonSchema, type ModelClass } from './field.js';

function nullable(schema: JsonSchema): JsonSchema {
  if ('$ref' in schema) return { anyOf: [schema, { type: 'null' }] };
  return {
    ...schema,
    type: [schema['type'], 'null'].flat(),
    ...(Array.isArray(schema['enum']) ? { enum: [...(schema['enum'] as unknown[]), null] } : {}),
  };
}

/** Schema of one field. */
export function fieldSchema(spec: FieldSpec): JsonSchema {
  const schema = spec.nullable ? nullable(spec.kind.schema) : spec.kind.schema;
  const notes = { description: spec.description, ...(spec.example === undefined ? {} : { examples: [spec.example] }) };
  return '$ref' in schema ? { allOf: [schema], ...notes } : { ...schema, ...notes };
}

/** JSON Schema of a class; nested classes are referenced by `$ref`. */
export function schemaOf(model: ModelClass): JsonSchema {
  const fields = [...fieldsOf(model)];
  const required = fields.filter(([, spec]) => !spec.optional).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, spec]) => [name, fieldSchema(spec)])),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

/** All classes that a class's schema refers to, including itself. */
export function modelsOf(model: ModelClass, found = new Set<ModelClass>()): Set<ModelClass> {
  if (found.has(model)) return found;
  found.add(model);
  for (const { kind } of fieldsOf(model).values()) if (kind.model) modelsOf(kind.model, found);
  return found;
}

const inlined = new WeakMap<JsonSchema, ModelClass>();

/** The class from which {@link inlineSchemaOf} made a schema. */
export function modelBehind(schema: JsonSchema): ModelClass | undefined {
  return inlined.get(schema);
}

/** The schema with every `$ref` to a class inlined, for compilers and published event schemas. */
export function inlineSchemaOf(model: ModelClass): JsonSchema {
  const byName = new Map([...modelsOf(model)].map((each) => [each.name, each]));
  const inline = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inline);
    if (typeof value !== 'object' || value === null) return value;
    const reference = (value as { $ref?: unknown }).$ref;
    if (typeof reference === 'string') return inline(schemaOf(byName.get(reference.split('/').at(-1)!)!));
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, inline(member)]));
  };
  const schema = inline(schemaOf(model)) as JsonSchema;
  inlined.set(schema, model);
  return schema;
}

const serializerSchemas = new WeakMap<ModelClass, JsonSchema>();

/**
 * The schema from which Fastify compiles a response serializer. Cached, because most classes are used by many routes.
 */
export function serializerSchemaOf(model: ModelClass): JsonSchema {
  let schema = serializerSchemas.get(model);
  if (!schema) serializerSchemas.set(model, (schema = makeSerializerSchema(model)));
  return schema;
}

/** Null is expressed as `nullable`, which compiles to one comparison; `anyOf` would validate every branch. */
function makeSerializerSchema(model: ModelClass): JsonSchema {
  const simplify = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(simplify);
    if (typeof value !== 'object' || value === null) return value;
    const {
      anyOf,
      allOf,
      type,
      properties,
      enum: _enum,
      const: _const,
      examples: _examples,
      description: _description,
      ...rest
    } = value as JsonSchema;
    const alternatives = anyOf as JsonSchema[] | undefined;
    if (alternatives) return { ...(simplify(alternatives[0]) as JsonSchema), nullable: true };
    if (allOf) return simplify((allOf as JsonSchema[])[0]);
    const simplified = { ...simplifyAll(rest), ...(properties ? { properties: simplifyAll(properties) } : {}) };
    if (!Array.isArray(type)) return type === undefined ? simplified : { ...simplified, type };
    const types = (type as string[]).filter((each) => each !== 'null');
    // With several types the value is written unchanged; the compiler needs no hint.
    return types.length > 1 ? {} : { ...simplified, type: types[0], nullable: true };
  };
  // Property names may equal keywords (`description`), so they are never treated as keywords.
  const simplifyAll = (members: object): JsonSchema =>
    Object.fromEntries(Object.entries(members).map(([key, member]) => [key, simplify(member)]));
  return simplify(inlineSchemaOf(model)) as JsonSchema;
}

/** The schema of which a value may lack any member. */
export function withoutRequired<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(withoutRequired) as T; // a list, too
  if (typeof schema !== 'object' || schema === null) return schema;
  // A property can be called `required`, too.
  const kept = Object.entries(schema).filter(([keyword, value]) => keyword !== 'required' || !Array.isArray(value));
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, withoutRequired(value as unknown)])) as T; // of the same form
}
