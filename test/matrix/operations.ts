import type { OpenAPIObject } from '@nestjs/swagger';
import { documentedOperations, targetOf } from '#libs/http/openapi/references.js';

export type Json = Record<string, unknown>;

/** A JSON Schema from the document. */
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

/** Lists of a person's own objects, empty for keys; their paging is tested in `test/e2e/auth`. */
export const OF_SESSIONS: ReadonlySet<string> = new Set(['auth.sessions.list', 'invitations.mine.list']);

/** POST operations that only read. They count as reads. */
export const SAFE_POSTS: ReadonlySet<string> = new Set([
  'data_export.subject_search.run',
  'discovery.mcp.send',
  'documents.files.link',
  'insights.query',
  'observability.query',
  'reports.query.run',
]);
/** POST requests of forms and of OAuth. */
const OF_OAUTH = ['auth.oauth.consent', 'auth.oauth.introspect', 'auth.oauth.revoke', 'auth.oauth.token'];
/** POST requests of forms and other protocols, which accept no idempotency key. All others accept one. */
export const KEYLESS_POSTS: ReadonlySet<string> = new Set([
  ...OF_OAUTH,
  'discovery.mcp.send',
  'documents.uploads.take',
  'public.careers.jobs.apply',
  'public.unsubscribe.end',
]);
/** Operations for browsers, people and partners, which service keys cannot call, or on what its maker alone sees; tested in `test/e2e/{auth,settings}` and `test/worker`. */
const OF_PEOPLE: ReadonlySet<string> = new Set([
  ...OF_OAUTH,
  'auth.oauth.authorize',
  'auth.login',
  'auth.callback',
  'auth.tenant.switch',
  'auth.step_up',
  'exports.jobs.cancel',
  'exports.jobs.download',
  'exports.jobs.get',
  'exports.jobs.list',
  'exports.jobs.start',
  'exports.schedules.create',
  'exports.schedules.delete',
  'exports.schedules.get',
  'exports.schedules.list',
  'exports.schedules.update',
  'home.favourites.get',
  'home.favourites.set',
  'home.layout.get',
  'home.layout.set',
  'home.notifications.list',
  'home.notifications.read',
  'integrations.imports.cancel',
  'integrations.imports.create',
  'integrations.imports.delete',
  'integrations.imports.errors',
  'integrations.imports.get',
  'integrations.imports.list',
  'integrations.imports.refused',
  'integrations.imports.rollback',
  'integrations.imports.run',
  'integrations.imports.update',
  'integrations.imports.validate',
  'reports.reports.schedule',
  'reports.reports.unschedule',
  'reports.runs.get',
  'reports.runs.list',
  'reports.runs.start',
  'settings.notifications.get',
  'settings.notifications.update',
  'settings.profile.get',
  'settings.profile.update',
]);

/** Operations of whoever made the object, also among service keys; tested in `test/worker`. */
const OF_MAKERS: ReadonlySet<string> = new Set(['data_export.requests.download']);

/** Operations with a file in their body; tested in `test/e2e/documents`. */
const OF_FILES: ReadonlySet<string> = new Set(['documents.files.add_version', 'documents.uploads.take']);

/** One operation of the OpenAPI document. A short path has the `id` of its original and a separate name. */
export interface Operation {
  id: string;
  /** Name for test titles: its id, or a separate name for a short path. */
  name: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With parameters in braces. */
  path: string;
  alias: boolean;
  open: boolean;
  /** Whether it is a SCIM operation, with its own token, media type, errors and leniency. */
  scim: boolean;
  scopes: string[];
  /** Scopes that suffice for part of the operation. */
  partialScopes: string[];
  /** Additional scopes, required always or in some cases. */
  besides: string[];
  parameters: Parameter[];
  /** Schema of the body with references resolved; null when it has none. */
  body: Schema | null;
  bodyRequired: boolean;
  /** Media types of bodies that it takes. */
  bodyTypes: string[];
  /** Status of success. */
  success: number;
  idempotent: boolean;
  /** Whether it is protected; a list contains the body members that make it so. */
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

/** The operations of a document that are tested with a key, including short paths. */
export function operationsOf(document: OpenAPIObject): Operation[] {
  // Unsupported operations are tested in test/e2e/scim/search.spec.ts.
  return everyOperationOf(document).filter(
    ({ id }) => !id.startsWith('scim.me.') && !OF_PEOPLE.has(id) && !OF_MAKERS.has(id) && !OF_FILES.has(id),
  );
}

/** All operations of a document, including short paths. */
export function everyOperationOf(document: OpenAPIObject): Operation[] {
  const resolve = resolverOf(document);
  return documentedOperations(document).map(({ path, method, aliasOf, operation }) => {
    const raw = operation as unknown as RawOperation; // typed by the members used here
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
      // Parameters with arbitrary names (`customFields`) are tested in test/e2e/custom-fields.
      parameters: resolve(raw.parameters ?? []).filter(({ schema }) => schema.type !== 'object'),
      body: body ? resolve(oneRecord(body)) : null,
      bodyRequired: raw.requestBody?.required ?? false,
      bodyTypes: Object.keys(raw.requestBody?.content ?? {}),
      success: successOf(Object.keys(raw.responses)),
      idempotent: raw['x-idempotent'] ?? false,
      protected: raw['x-protected'] ?? false,
    };
  });
}

/** The body for one record, where an operation also takes several. */
function oneRecord(body: Schema): Schema {
  return body.anyOf?.[0] ?? body;
}

/** A create that takes several records answers them with 200. */
function successOf(statuses: string[]): number {
  return Number(statuses.includes('201') ? 201 : statuses.find((status) => /^2|^303/.test(status)));
}

/** Resolves references. Request parameters and bodies are never recursive. */
function resolverOf(document: OpenAPIObject): <T>(value: T) => T {
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, allOf, ...rest } = value as Schema & { $ref?: string };
    const own = Object.fromEntries(Object.entries(rest).map(([key, member]) => [key, resolve(member)]));
    if (typeof $ref === 'object') return { ...own, $ref: resolve($ref) }; // a member named `$ref`
    if (typeof $ref === 'string') return { ...(resolve(targetOf(document, $ref)) as object), ...own };
    return allOf?.length === 1 ? { ...(resolve(allOf[0]) as object), ...own } : own;
  };
  return <T>(value: T) => resolve(value) as T;
}

/** The alternatives of a schema without null, for `anyOf` with null. */
export function withoutNull(schema: Schema): Schema {
  return schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;
}

/** The type of a schema other than null. */
export function typeOf(schema: Schema): string | undefined {
  return [withoutNull(schema).type].flat().find((type) => type !== 'null');
}

export function isNullable(schema: Schema): boolean {
  return [schema.type].flat().includes('null') || (schema.anyOf?.some(({ type }) => type === 'null') ?? false);
}

/** The parameters of an operation in its path or its query. */
export function parametersIn({ parameters }: Operation, place: 'path' | 'query'): Operation['parameters'] {
  return parameters.filter((each) => each.in === place);
}

/** A body built from the examples of the required members. */
export function exampleBody(schema: Schema): Json {
  return Object.fromEntries((schema.required ?? []).map((name) => [name, exampleOf(schema.properties![name]!)]));
}

/** An id that no record has. */
export const NOWHERE = '01890000-0000-7000-8000-000000000000';

export function exampleOf(schema: Schema): unknown {
  if (schema.examples) return schema.examples[0];
  if (schema.enum) return schema.enum[0];
  if (schema.const !== undefined) return schema.const;
  const plain = withoutNull(schema);
  if (plain.format === 'uuid') return NOWHERE;
  if (plain.properties) return exampleBody(plain);
  if (plain.items) return Array.from({ length: plain.minItems ?? 0 }, () => exampleOf(plain.items!));
  return {
    string: 'x'.repeat(plain.minLength ?? 1),
    integer: plain.minimum ?? 1,
    number: plain.minimum ?? 1,
    boolean: true,
  }[typeOf(plain) ?? 'string'];
}
