import type { JsonSchema } from '../field.js';

/** A `$ref` to a component of the document. */
export interface Reference {
  $ref: string;
}

/** A header of a response. */
export interface Header {
  description: string;
  required?: boolean;
  schema: JsonSchema;
}

/** A parameter of an operation in path, query or header. */
export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: JsonSchema;
  style?: string;
  explode?: boolean;
}

/** The content of a body in one media type. */
export interface MediaType {
  schema: JsonSchema;
  example?: unknown;
  examples?: Record<string, Reference>;
}

/** One response of an operation. */
export interface Answer {
  description: string;
  headers?: Record<string, Header | Reference>;
  content?: Record<string, MediaType>;
}

/** One operation of the document. */
export interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  security?: object[];
  parameters?: (Parameter | Reference)[];
  requestBody?: { content: Record<string, MediaType>; required?: boolean };
  responses: Record<string, Answer | Reference>;
  [extension: `x-${string}`]: unknown;
}

/** A path that is an alias of another one in the document. */
export type AliasItem = Reference;

/** Methods that a path can have. HEAD works for every GET and is not listed separately. */
export const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
export type Method = (typeof METHODS)[number];

/** Operations by path and method. */
export type Paths = Record<string, Partial<Record<Method, Operation>>>;

/** All operations of the paths, with their positions. */
export function operationsOf(paths: Paths): { path: string; method: Method; operation: Operation }[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ path, method, operation }] : [];
    }),
  );
}
