import { type Method, METHODS, type Operation, type Parameter, type Answer, type Reference } from './parts.js';

/**
 * An operation with resolved parameters and responses, and with the document's security requirements if it has none of
 * its own.
 */
export interface ReadOperation extends Omit<Operation, 'security' | 'parameters' | 'responses'> {
  security: object[];
  parameters: Parameter[];
  responses: Record<string, Answer>;
}

/** One operation under one path of a document. */
export interface DocumentedOperation {
  path: string;
  method: Method;
  /** The original path if this one is an alias; null otherwise. */
  aliasOf: string | null;
  operation: ReadOperation;
}

/** All operations of a document, including those under aliases. */
export function documentedOperations(document: { paths: object; security?: object[] }): DocumentedOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]: [string, Partial<Record<Method, Operation>> & Partial<Reference>]) => {
    const methods = resolved(document, item);
    return METHODS.flatMap((method) => {
      const operation = methods[method];
      const aliasOf = item.$ref === undefined ? null : lastName(item.$ref);
      return operation ? [{ path, method, aliasOf, operation: readOperation(document, operation) }] : [];
    });
  });
}

function readOperation(document: { security?: object[] }, operation: Operation): ReadOperation {
  return {
    ...operation,
    security: operation.security ?? document.security ?? [],
    parameters: (operation.parameters ?? []).map((each) => resolved<Parameter>(document, each)),
    responses: Object.fromEntries(
      Object.entries(operation.responses).map(([status, each]) => [status, resolved<Answer>(document, each)]),
    ),
  };
}

/** The target of a reference in its document, following chains; any other value unchanged. */
export function resolved<T extends object>(document: object, value: T | Reference): T {
  if (!('$ref' in value) || typeof value.$ref !== 'string') return value as T;
  return resolved(document, targetOf(document, value.$ref) as T | Reference);
}

/** A schema with its reference resolved. Siblings of the reference override the target. */
export function wholeSchema<T extends { $ref?: string }>(document: object, schema: T): T {
  const { $ref, ...own } = schema;
  return $ref === undefined ? schema : { ...wholeSchema(document, targetOf(document, $ref) as T), ...(own as T) };
}

/** The value at a position such as `#/components/schemas/DealView`; undefined if there is none. */
export function targetOf(document: object, reference: string): unknown {
  return namesIn(reference).reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], document);
}

/** The last segment of a reference: the name of a component, or a path. */
export function lastName(reference: string): string {
  return namesIn(reference).at(-1)!;
}

/** `Source:` RFC 6901. */
function namesIn(reference: string): string[] {
  return reference
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}
