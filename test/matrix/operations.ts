import type { OpenAPIObject } from '@nestjs/swagger';
import { documentedOperations, targetOf } from '#libs/http/openapi/references.js';

export type Json = Record<string, unknown>;

/** A JSON Schema as it stands in the document. */
export interface Schema {
  type?: string | string[];
  format?: string;
  pattern?: string;
  enum?: unknown[];
  const?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  examples?: unknown[];
  allOf?: Schema[];
  anyOf?: Schema[];
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  explode?: boolean;
  schema: Schema;
}

/** Lists of what is a person's own, of which a key has nothing; their pages have tests in `test/e2e/auth`. */
export const OF_SESSIONS: ReadonlySet<string> = new Set(['auth.sessions.list', 'invitations.mine.list']);

/**
 * Posts of protocols that post whatever they ask for: these change nothing by themselves, count as reads and take no
 * idempotency key. All other writes take one.
 */
export const SAFE_POSTS: ReadonlySet<string> = new Set(['discovery.mcp.send']);
/** Operations of browsers and of people, which no service key can call; they are tried in `test/e2e/auth/browser.spec.ts` and `test/e2e/settings`. */
const OF_PEOPLE: ReadonlySet<string> = new Set([
  'auth.login',
  'auth.callback',
  'auth.tenant.switch',
  'auth.step_up',
  'settings.notifications.get',
  'settings.notifications.update',
  'settings.profile.get',
  'settings.profile.update',
]);

/** One operation of the OpenAPI document. A short path of another one has that one's `id` and a name of its own. */
export interface Operation {
  id: string;
  /** Its id, or for a short path a name of its own, for the names of tests. */
  name: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With parameters in braces. */
  path: string;
  alias: boolean;
  open: boolean;
  /** It speaks SCIM: with a token of its own, in its media type, with its errors and its leniency. */
  scim: boolean;
  scopes: string[];
  /** Scopes that are enough for a part of what it does. */
  partialScopes: string[];
  /** Scopes that it takes besides, in some cases or always. */
  besides: string[];
  parameters: Parameter[];
  /** Schema of the body, references resolved; null when it takes none. */
  body: Schema | null;
  bodyRequired: boolean;
  /** Status of success. */
  success: number;
  idempotent: boolean;
  /** It takes a key for protected operations, or a second factor of late; a list has the members of the body that do. */
  protected: boolean | string[];
}

interface RawOperation {
  operationId: string;
  'x-required-scopes'?: string[];
  'x-partial-scopes'?: string[];
  'x-conditional-scopes'?: { scope: string; when: string }[];
  'x-idempotent'?: boolean;
  'x-protected'?: boolean | string[];
  security?: unknown[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, unknown>;
}

/** Every operation of a document, also the short paths. */
export function operationsOf(document: OpenAPIObject): Operation[] {
  const resolve = resolverOf(document);
  return documentedOperations(document).flatMap(({ path, method, aliasOf, operation }) => {
    const raw = operation as unknown as RawOperation; // the same object, by the members that are looked at here
    // What is never done at all is tried in test/e2e/scim/search.spec.ts.
    if (raw.operationId.startsWith('scim.me.') || OF_PEOPLE.has(raw.operationId)) return [];
    const scim = raw.security?.some((each) => 'scimToken' in (each as object)) ?? false;
    const body = raw.requestBody?.content['application/json']?.schema;
    return {
      id: raw.operationId,
      name: aliasOf === null ? raw.operationId : `${raw.operationId}.alias`,
      method: method.toUpperCase() as Operation['method'],
      path,
      alias: aliasOf !== null,
      open: raw['x-required-scopes'] === undefined,
      scim,
      scopes: raw['x-required-scopes'] ?? [],
      partialScopes: raw['x-partial-scopes'] ?? [],
      besides: (raw['x-conditional-scopes'] ?? []).map(({ scope }) => scope),
      // One that stands for parameters of any name (`customFields`) is tried in test/e2e/custom-fields.
      parameters: resolve(raw.parameters ?? []).filter(({ schema }) => schema.type !== 'object'),
      body: body ? resolve(body) : null,
      bodyRequired: raw.requestBody?.required ?? false,
      success: Number(Object.keys(raw.responses).find((status) => /^2|^303/.test(status))),
      idempotent: raw['x-idempotent'] ?? false,
      protected: raw['x-protected'] ?? false,
    };
  });
}

/** Replaces references by what they stand for. Parameters and bodies of requests are never recursive. */
function resolverOf(document: OpenAPIObject): <T>(value: T) => T {
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, allOf, ...rest } = value as Schema & { $ref?: string };
    const own = Object.fromEntries(Object.entries(rest).map(([key, member]) => [key, resolve(member)]));
    if (typeof $ref === 'object') return { ...own, $ref: resolve($ref) }; // a member of that name
    if (typeof $ref === 'string') return { ...(resolve(targetOf(document, $ref)) as object), ...own };
    return allOf?.length === 1 ? { ...(resolve(allOf[0]) as object), ...own } : own;
  };
  return <T>(value: T) => resolve(value) as T;
}

/** The alternatives of a schema without null, for `anyOf` with null. */
export function withoutNull(schema: Schema): Schema {
  return schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;
}

/** The one type of a schema besides null. */
export function typeOf(schema: Schema): string | undefined {
  return [withoutNull(schema).type].flat().find((type) => type !== 'null');
}

export function isNullable(schema: Schema): boolean {
  return [schema.type].flat().includes('null') || (schema.anyOf?.some(({ type }) => type === 'null') ?? false);
}

/** A body made of the examples of the required members. */
export function exampleBody(schema: Schema): Json {
  return Object.fromEntries((schema.required ?? []).map((name) => [name, exampleOf(schema.properties![name]!)]));
}

export function exampleOf(schema: Schema): unknown {
  if (schema.examples) return schema.examples[0];
  if (schema.enum) return schema.enum[0];
  if (schema.const !== undefined) return schema.const;
  const plain = withoutNull(schema);
  if (plain.properties) return exampleBody(plain);
  if (plain.items) return Array.from({ length: plain.minItems ?? 0 }, () => exampleOf(plain.items!));
  return {
    string: 'x'.repeat(plain.minLength ?? 1),
    integer: plain.minimum ?? 1,
    number: plain.minimum ?? 1,
    boolean: true,
  }[typeOf(plain) ?? 'string'];
}
