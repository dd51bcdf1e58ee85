import type { INestApplication } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, ModulesContainer } from '@nestjs/core';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { EventCatalogue, type JsonSchema } from '#libs/outbox/event-catalogue.js';
import { eventExample, eventSchema } from '#libs/outbox/event-schema.js';
import { PROBLEMS, type ProblemCode } from '#libs/kernel/problem.js';
import type { ModelClass } from './field.js';
import { ProblemDocument } from './problem.dto.js';
import { rateClassOf } from './rate-limit.guard.js';
import { routeOf, type RouteOptions } from './route.js';
import { modelsOf, schemaOf } from './schema.js';

interface Operation {
  operationId: string;
  summary?: string;
  tags?: string[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, unknown>; required?: boolean };
  responses: Record<string, Answer>;
  [extension: `x-${string}`]: unknown;
}

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: JsonSchema;
}

interface Answer {
  description: string;
  headers?: Record<string, unknown>;
  content?: Record<string, { schema: JsonSchema }>;
}

type Paths = Record<string, Record<string, Operation>>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const PROBLEM = { 'application/problem+json': { schema: { $ref: '#/components/schemas/ProblemDocument' } } };
const INTRODUCTION = `The backend a company runs its business on. Many tenants share it; each sees only itself.

Send \`x-api-key\`, or \`Authorization: Bearer\` together with \`x-tenant-slug\`. Lists are paged by cursor. Writes take an
\`Idempotency-Key\`. Errors are problem details (RFC 9457) with a stable \`code\`.`;

/** Declarations of all handlers of an application, by operation id. */
export function routesOf(app: INestApplication): Map<string, RouteOptions> {
  const discovery = new DiscoveryService(app.get(ModulesContainer));
  const scanner = new MetadataScanner();
  const routes = new Map<string, RouteOptions>();
  for (const { instance } of discovery.getControllers()) {
    if (!instance) continue;
    const prototype = Object.getPrototypeOf(instance) as Record<string, object>;
    for (const name of scanner.getAllMethodNames(prototype)) {
      const route = routeOf(prototype[name]!);
      if (!route) continue;
      if (routes.has(route.id)) throw new Error(`The operation id ${route.id} is declared twice.`);
      routes.set(route.id, route);
    }
  }
  return routes;
}

/**
 * The OpenAPI 3.1.0 document of an initialised application: paths from the controllers, schemas from the fields of the
 * models, errors from the routes, `webhooks` from the event catalogue. `aliases` are `area/collection` pairs whose paths
 * also work without the version segment.
 */
export function buildDocument(app: INestApplication, aliases: Iterable<string>): OpenAPIObject {
  const routes = routesOf(app);
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Tenant Operating Platform')
    .setDescription(INTRODUCTION)
    .setVersion('1.0.0')
    .setLicense('Commercial', 'urn:license:commercial')
    .setContact('Platform', 'https://example.com', 'support@example.com')
    .addServer('/', 'This server')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'An API key, together with x-tenant-slug.' }, 'bearerAuth')
    .addApiKey({ type: 'apiKey', in: 'header', name: 'x-api-key', description: 'An API key.' }, 'apiKey')
    .build();
  const document = SwaggerModule.createDocument(app, config);
  const paths = document.paths as unknown as Paths;
  for (const [path, item] of Object.entries(paths))
    for (const method of METHODS) {
      const operation = item[method];
      const route = operation && routes.get(operation.operationId);
      if (operation && route) completeOperation(path, method, operation, route);
    }
  addAliases(paths, aliases);
  const models = [...routes.values()].flatMap((route) => [route.answer, route.body ?? []].flat());
  document.components = {
    ...document.components,
    schemas: schemasOf([ProblemDocument, ...models]) as NonNullable<OpenAPIObject['components']>['schemas'] & object,
  };
  document.tags = tagsOf(paths);
  return { ...document, webhooks: webhooksOf(app.get(EventCatalogue)) } as OpenAPIObject;
}

function schemasOf(models: ModelClass[]): Record<string, JsonSchema> {
  const found = new Map<string, ModelClass>();
  for (const model of models.flatMap((each) => [...modelsOf(each)])) {
    const other = found.get(model.name);
    if (other && other !== model && JSON.stringify(schemaOf(other)) !== JSON.stringify(schemaOf(model)))
      throw new Error(`Two models are called ${model.name}.`);
    found.set(model.name, model);
  }
  const names = [...found.keys()].sort();
  return Object.fromEntries(names.map((name) => [name, schemaOf(found.get(name)!)]));
}

function completeOperation(path: string, method: string, operation: Operation, route: RouteOptions): void {
  const write = rateClassOf(method.toUpperCase()) === 'write';
  const idempotent = ['post', 'put', 'patch'].includes(method) && route.permission !== 'public';
  const open = route.permission === 'public';
  const parameters = operation.parameters ?? [];
  const known = new Set(parameters.map((parameter) => `${parameter.in} ${parameter.name}`));
  const add = (parameter: Parameter) => {
    if (!known.has(`${parameter.in} ${parameter.name}`)) parameters.push(parameter);
  };
  for (const parameter of parameters) parameter.description ??= 'Id of the record.';
  for (const parameter of parameters)
    if (parameter.in === 'path' && !parameter.schema?.['format'] && !route.params?.[parameter.name])
      parameter.schema = { type: 'string', format: 'uuid' };
  if (!open) {
    operation['x-rate-limit-class'] = write ? 'write' : 'read';
    operation['x-idempotent'] = idempotent;
  }
  if (idempotent) add(header('Idempotency-Key', 'Makes a retry safe for 10 minutes.', 255));
  if (changesOneRecord(path, method, route)) add(header('If-Match', 'The ETag of the version that is to be changed.', 200));
  if (route.record && method === 'get') add(header('If-None-Match', 'An ETag that the caller has; 304 if it is current.', 200));
  operation.parameters = parameters;
  if (method === 'patch' && operation.requestBody)
    operation.requestBody.content['application/merge-patch+json'] = operation.requestBody.content['application/json'];
  const success = operation.responses[String(route.status ?? 200)]!;
  success.headers = successHeaders(route, open);
  if (route.record && method === 'get')
    operation.responses['304'] = { description: 'The version that the caller has is current.' };
  for (const [status, answer] of problemAnswers(problemCodesOf(path, method, route))) operation.responses[status] = answer;
}

function changesOneRecord(path: string, method: string, route: RouteOptions): boolean {
  return method !== 'get' && path.includes('{') && (route.record === true || method === 'delete');
}

function header(name: string, description: string, maxLength: number): Parameter {
  return { name, in: 'header', required: false, description, schema: { type: 'string', minLength: 1, maxLength } };
}

function successHeaders(route: RouteOptions, open: boolean): Record<string, unknown> {
  const text = (description: string) => ({ description, schema: { type: 'string' } });
  return {
    'x-request-id': text('Id of the request.'),
    ...(open ? {} : { RateLimit: text('Requests left: `"read";r=599;t=60`.') }),
    ...(open ? {} : { 'RateLimit-Policy': text('The limit: `"read";q=600;w=60`.') }),
    ...(route.record ? { ETag: text('The version, as a strong validator.') } : {}),
    ...(route.status === 201 ? { Location: text('Path of the new resource.') } : {}),
  };
}

/** What every operation of its kind can answer, and what this one decides itself. */
function problemCodesOf(path: string, method: string, route: RouteOptions): ProblemCode[] {
  if (route.permission === 'public') return [...(route.problems ?? []), 'internal_error'];
  const body = ['post', 'put', 'patch'].includes(method);
  return [
    ...(route.problems ?? []),
    'validation_failed',
    'unauthenticated',
    'permission_denied',
    'rate_limit_exceeded',
    'internal_error',
    'unavailable',
    ...(body
      ? ([
          'malformed_json',
          'idempotency_key_invalid',
          'idempotency_in_progress',
          'idempotency_key_reused',
          'payload_too_large',
          'unsupported_media_type',
        ] as const)
      : []),
    ...(path.includes('{') ? (['not_found'] as const) : []),
    ...(changesOneRecord(path, method, route) ? (['version_mismatch'] as const) : []),
  ];
}

function problemAnswers(codes: ProblemCode[]): [string, Answer][] {
  const byStatus = new Map<number, Set<ProblemCode>>();
  for (const code of codes) {
    const [status] = PROBLEMS[code];
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
  }
  return [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, found]) => [
      String(status),
      {
        description: [...found].sort().map((code) => `\`${code}\`: ${PROBLEMS[code][1]}.`).join(' '),
        content: PROBLEM,
      },
    ]);
}

/** The documented paths without the version segment; the server treats both as one operation. */
function addAliases(paths: Paths, aliases: Iterable<string>): void {
  for (const alias of aliases)
    for (const [path, item] of Object.entries(paths)) {
      if (path !== `/api/v1/${alias}` && !path.startsWith(`/api/v1/${alias}/`)) continue;
      const copy = structuredClone(item);
      for (const method of METHODS) {
        const operation = copy[method];
        if (!operation) continue;
        operation['x-alias-of'] = operation.operationId;
        operation.operationId = `${operation.operationId}.alias`;
        operation.summary = `${operation.summary} (short path)`;
      }
      paths[path.replace('/api/v1/', '/api/')] = copy;
    }
}

function tagsOf(paths: Paths): { name: string; description: string }[] {
  const names = new Set<string>();
  for (const item of Object.values(paths))
    for (const method of METHODS) for (const tag of item[method]?.tags ?? []) names.add(tag);
  return [...names].sort().map((name) => ({ name, description: `Operations on ${name}.` }));
}

function webhooksOf(events: EventCatalogue): Record<string, unknown> {
  return Object.fromEntries(
    events.all().map((event) => [
      event.version === 1 ? event.type : `${event.type}.v${event.version}`,
      {
        post: {
          operationId: `webhook.${event.type}.v${event.version}`,
          summary: event.description,
          description: `${event.description} Signed with \`x-service-signature\` and the Standard Webhooks headers.`,
          tags: ['webhooks'],
          deprecated: event.deprecated,
          security: [],
          requestBody: {
            required: true,
            content: { 'application/json': { schema: eventSchema(event), example: eventExample(event) } },
          },
          responses: {
            '200': { description: 'Received. Any 2xx counts; anything else is retried.' },
            '4XX': { description: 'Refused; retried. 410 disables the endpoint.' },
          },
        },
      },
    ]),
  );
}
