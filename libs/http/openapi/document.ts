import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { ENVELOPE_SCHEMA, THIN_DATA_SCHEMA } from '#libs/outbox/event-schema.js';
import { API_VERSION } from '../api-version.js';
import type { JsonSchema, ModelClass } from '../field.js';
import { ProblemDocument } from '../problems/problem.dto.js';
import { modelsOf, schemaOf } from '../schema.js';
import { aliasesOf } from './aliases.js';
import { SHARED_HEADERS, SHARED_PARAMETERS } from './headers.js';
import { INTRODUCTION } from './introduction.js';
import { completeOperation } from './operations.js';
import type { Answer, Parameter, Paths } from './parts.js';
import { operationsOf } from './parts.js';
import { ProblemComponents } from './problems.js';
import { routesOf } from './routes.js';
import { ModelExamples } from './model-examples.js';
import { shareAnswers, shareEventData, shareFields, shareIds, shareParameters } from './sharing.js';
import { eventModels, WEBHOOK_ANSWERS, WEBHOOK_PARAMETERS, webhooksOf } from './webhooks.js';

/** Input for the document besides the application. */
export interface DocumentOptions {
  /** `area/collection` pairs whose paths also work without the version segment. */
  aliases: Readonly<Record<string, string>>;
  /** Descriptions of the groups of operations, by tag, in display order. */
  tags: Readonly<Record<string, string>>;
}

/**
 * The OpenAPI 3.1.0 document of an initialised application: paths from the controllers, schemas from the models'
 * fields, problems from the routes, `webhooks` from the event catalogue.
 */
export function buildDocument(app: INestApplication, { aliases, tags }: DocumentOptions): OpenAPIObject {
  const routes = routesOf(app);
  const document = SwaggerModule.createDocument(app, frame());
  // Sorted, as the components below, so that the order of modules changes nothing, and a new type little else.
  const described = sorted(document.paths as unknown as Paths); // the narrower form that our routes give it
  const problems = new ProblemComponents();
  const examples = new ModelExamples();
  for (const place of operationsOf(described))
    completeOperation(place, routes.get(place.operation.operationId)!, problems, examples);
  const dialectModels = [...routes.values()].flatMap(({ dialect }) => dialect?.errorModel ?? []);
  const events: Record<string, JsonSchema> = { EventEnvelope: ENVELOPE_SCHEMA, ThinEventData: THIN_DATA_SCHEMA };
  const models = [...routes.values()].flatMap((route) => [route.answer, route.accepted ?? [], route.there ?? [], route.body ?? [], Object.values(route.several ?? {})].flat());
  const known = new Set([ProblemDocument, ...dialectModels, ...models].flatMap((model) => [...modelsOf(model)]));
  const catalogue = app.get(EventCatalogue).all();
  const dataModels = eventModels(catalogue, known);
  for (const model of dataModels.values()) modelsOf(model, known);
  // Copied, because the routes validate with the same field schemas.
  const paths = structuredClone(described);
  const schemas: Record<string, JsonSchema> = structuredClone({ ...schemasOf([...known]), ...events });
  examples.describe(schemas);
  const parameters: Record<string, Parameter> = structuredClone({ ...SHARED_PARAMETERS, ...WEBHOOK_PARAMETERS });
  const responses: Record<string, Answer> = { ...problems.responses, ...WEBHOOK_ANSWERS };
  shareParameters(paths, parameters);
  shareAnswers(paths, responses);
  const webhooks = structuredClone(webhooksOf(catalogue, dataModels));
  shareEventData(webhooks, schemas);
  shareFields(schemas);
  shareIds(schemas, parameters, paths);
  return {
    ...document,
    paths: { ...paths, ...aliasesOf(paths, aliases) } as OpenAPIObject['paths'],
    components: {
      ...document.components,
      schemas: sorted(schemas),
      parameters: sorted(parameters),
      headers: SHARED_HEADERS,
      responses: sorted(responses),
      examples: sorted(problems.examples),
    },
    tags: tagsOf(paths, tags),
    webhooks,
  } as OpenAPIObject;
}

function sorted<T extends object>(map: T): T {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1))) as T;
}

function frame() {
  return new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Tenant Operating Platform')
    .setDescription(INTRODUCTION)
    .setVersion(API_VERSION)
    .setLicense('Commercial', 'urn:license:commercial')
    .setContact('Platform', 'https://example.com', 'support@example.com')
    .addServer('/', 'This server')
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', description: 'A session, the access token of a partner, or an API key together with `x-tenant-slug`.' },
      'bearerAuth',
    )
    .addApiKey(
      { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'An API key. It implies the tenant.' },
      'apiKey',
    )
    .addCookieAuth(
      'session',
      {
        type: 'apiKey',
        in: 'cookie',
        description: 'The session of a browser (`GET /api/auth/login`). Writes must come from a page of the same origin.',
      },
      'cookieAuth',
    )
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', description: 'The token of a SCIM configuration. It implies the tenant.' },
      'scimToken',
    )
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', description: 'A key of the operator (`platform operator-key create`).' },
      'operatorKey',
    )
    .addSecurityRequirements('bearerAuth')
    .addSecurityRequirements('apiKey')
    .addSecurityRequirements('cookieAuth')
    .build();
}

function schemasOf(models: ModelClass[]): Record<string, JsonSchema> {
  const found = new Map<string, ModelClass>();
  for (const model of models) {
    const other = found.get(model.name);
    if (other && other !== model && JSON.stringify(schemaOf(other)) !== JSON.stringify(schemaOf(model)))
      throw new Error(`Two models are called ${model.name}.`);
    found.set(model.name, model);
  }
  const names = [...found.keys()].sort();
  return Object.fromEntries(names.map((name) => [name, schemaOf(found.get(name)!)]));
}

function tagsOf(paths: Paths, descriptions: DocumentOptions['tags']): { name: string; description: string }[] {
  const names = new Set(operationsOf(paths).flatMap(({ operation }) => operation.tags ?? []));
  names.add('webhooks');
  const order = Object.keys(descriptions);
  const place = (name: string) => (name in descriptions ? order.indexOf(name) : order.length);
  return [...names]
    .sort((a, b) => place(a) - place(b))
    .map((name) => ({ name, description: descriptions[name] ?? `Operations on ${name}.` }));
}
