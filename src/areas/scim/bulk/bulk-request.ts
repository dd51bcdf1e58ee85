import { cut } from '#libs/kernel/cut.js';
import { isObject } from '#libs/kernel/is-object.js';
import { invalidSyntax, ScimError } from '#libs/scim-language/scim-error.js';
import { MAX_BULK_OPERATIONS } from '../discovery/discovery.service.js';

const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;
const TYPES = ['Users', 'Groups'] as const;
const REFERENCE = 'bulkId:';

/** One operation of a bulk request; it is validated when it runs. */
export interface BulkOperation {
  method: string;
  path: string;
  bulkId: string | null;
  /** Required entity tag of the resource; null for any. */
  version: string | null;
  data: unknown;
}

export interface BulkRequest {
  operations: BulkOperation[];
  /** Number of errors after which processing stops. */
  failOnErrors: number;
}

/** The target of an operation. */
export interface Target {
  method: (typeof METHODS)[number];
  type: (typeof TYPES)[number];
  /** Null for POST. */
  id: string | null;
}

/** @throws ScimError `invalidSyntax`; 413 for too many operations. */
export function readBulkRequest(body: unknown): BulkRequest {
  const given = isObject(body) ? body : {};
  const { Operations: operations, failOnErrors } = given;
  if (!Array.isArray(operations)) throw invalidSyntax('"Operations" has to be a list.');
  if (operations.length > MAX_BULK_OPERATIONS)
    throw new ScimError(413, `A request may have at most ${MAX_BULK_OPERATIONS} operations.`);
  if (failOnErrors !== undefined && !(Number.isInteger(failOnErrors) && (failOnErrors as number) > 0))
    throw invalidSyntax('"failOnErrors" has to be a whole number above 0.');
  const read = operations.map(readOperation);
  const names = read.flatMap(({ bulkId }) => bulkId ?? []);
  if (new Set(names).size < names.length) throw invalidSyntax('Each "bulkId" may stand for one operation only.');
  return { operations: read, failOnErrors: (failOnErrors as number | undefined) ?? Infinity };
}

function readOperation(operation: unknown): BulkOperation {
  if (!isObject(operation)) throw invalidSyntax('An operation has to be an object.');
  const { method, path, data } = operation;
  if (typeof method !== 'string' || typeof path !== 'string')
    throw invalidSyntax('An operation has to have a "method" and a "path".');
  return {
    method: method.toUpperCase(),
    path,
    bulkId: textOf(operation, 'bulkId'),
    version: textOf(operation, 'version'),
    data,
  };
}

function textOf(operation: Record<string, unknown>, name: string): string | null {
  const value = operation[name] ?? null;
  if (value !== null && typeof value !== 'string') throw invalidSyntax(`"${name}" of an operation has to be a text.`);
  return value;
}

/** @throws ScimError `invalidSyntax`, 404. */
export function targetOf({ method, path, bulkId }: BulkOperation): Target {
  const known = METHODS.find((each) => each === method);
  if (!known) throw invalidSyntax(`"method" has to be one of ${METHODS.join(', ')}.`);
  const [empty, first, id = null, ...more] = path.split('/');
  const type = TYPES.find((each) => each.toLowerCase() === first?.toLowerCase());
  if (empty !== '' || !type || more.length > 0 || (known === 'POST') !== (id === null))
    throw new ScimError(404, `"${cut(path, 200)}" is no path for ${known}.`);
  if (known === 'POST' && !bulkId) throw invalidSyntax('An operation with POST has to have a "bulkId".');
  return { method: known, type, id };
}

/** The `bulkId`s that an operation references. */
export function referencesOf(operation: BulkOperation): string[] {
  const found: string[] = [];
  resolved(operation, (bulkId) => {
    found.push(bulkId);
    return '';
  });
  return found;
}

/** The operation with references replaced by ids. */
export function resolved(operation: BulkOperation, idOf: (bulkId: string) => string): BulkOperation {
  const of = (text: string) => (text.startsWith(REFERENCE) ? idOf(text.replace(REFERENCE, '')) : text);
  const inside = (value: unknown): unknown => {
    if (typeof value === 'string') return of(value);
    if (Array.isArray(value)) return value.map(inside);
    return isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inside(each)]))
      : value;
  };
  return { ...operation, path: operation.path.split('/').map(of).join('/'), data: inside(operation.data) };
}
