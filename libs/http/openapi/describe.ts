import {
  ApiBody,
  ApiConsumes,
  ApiExtension,
  ApiOperation,
  ApiParam,
  ApiProduces,
  ApiQuery,
  ApiResponse,
  ApiSecurity,
} from '@nestjs/swagger';
import { fieldsOf, type JsonSchema, type ModelClass } from '../field.js';
import type { RouteOptions } from '../route.js';
import { fieldSchema } from '../schema.js';

const described = new WeakSet<object>();

/**
 * Sets the metadata of Nest's Swagger module on a handler, from the route's declaration. Runs when a document is
 * built, not when the handler is declared: most processes never build one, and save loading this module and a tenth of
 * the memory.
 */
export function describeHandler(handler: object, options: RouteOptions): void {
  if (described.has(handler)) return;
  described.add(handler);
  for (const decorate of descriptionOf(options)) decorate({}, '', { value: handler });
}

function descriptionOf(options: RouteOptions): MethodDecorator[] {
  return [operation(options), ...answers(options), ...access(options), ...input(options)];
}

function operation(options: RouteOptions): MethodDecorator {
  return ApiOperation({
    operationId: options.id,
    summary: options.summary,
    description: options.description ?? options.summary,
    tags: [options.tag ?? options.id.split('.').slice(0, -1).join(' ').replaceAll('_', ' ')],
  });
}

function answers({
  status = 200,
  answer,
  answerDescription,
  emptyDescription,
  emptyStatus = 204,
  accepted,
  there,
  several,
  dialect,
  pageDescription,
  bytes,
  downloads,
}: RouteOptions): MethodDecorator[] {
  if (bytes) return fileAnswers(answerDescription);
  if (downloads && [answer].flat().length === 0) return downloadAnswers(downloads, accepted, answerDescription);
  const schema = status === 204 || status === 303 ? {} : { schema: answerSchema(answer) };
  const decorators = [ApiResponse({ status, description: answerDescription ?? 'Success', ...schema })];
  if (emptyDescription) decorators.push(ApiResponse({ status: emptyStatus, description: emptyDescription }));
  if (pageDescription) {
    const content = { 'text/html': { schema: { type: 'string' } } };
    decorators.push(ApiResponse({ status: 200, description: pageDescription, content }));
  }
  if (dialect) decorators.push(ApiProduces(dialect.mediaType));
  if (accepted)
    decorators.push(
      ApiResponse({ status: 202, description: 'Accepted, not done yet', schema: answerSchema(accepted) }),
    );
  if (there) decorators.push(ApiResponse({ status: 200, description: 'There already', schema: answerSchema(there) }));
  if (several)
    decorators.push(
      ApiResponse({ status: 200, description: 'A result for each item', schema: answerSchema(several.answer) }),
    );
  return decorators;
}

/** A file at once, or an object that stands for making it. */
function downloadAnswers(
  types: readonly string[],
  accepted: ModelClass | undefined,
  description = 'The file.',
): MethodDecorator[] {
  const content = Object.fromEntries(types.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]));
  const file = ApiResponse({ status: 200, description, content });
  if (!accepted) return [file];
  return [file, ApiResponse({ status: 202, description: 'Accepted, not done yet', schema: answerSchema(accepted) })];
}

/** A file, or a range of its bytes. Its media type is that of the file. */
function fileAnswers(description = 'The whole file.'): MethodDecorator[] {
  const content = { '*/*': { schema: { type: 'string', format: 'binary' } } };
  return [
    ApiResponse({ status: 200, description, content }),
    ApiResponse({ status: 206, description: 'The range of bytes that was asked for.', content }),
  ];
}

function access(options: RouteOptions): MethodDecorator[] {
  if (options.permission === 'public') return [];
  return [
    ...(options.dialect ? [ApiSecurity(options.dialect.securityScheme)] : []), // the others are those of the whole document
    ApiExtension('x-required-scopes', options.permission === 'any' ? [] : [options.permission]),
    ...(options.parts ? [ApiExtension('x-partial-scopes', options.parts)] : []),
    ...(options.besides?.length ? [ApiExtension('x-conditional-scopes', options.besides)] : []),
    ...(options.protected ? [ApiExtension('x-protected', options.protected)] : []),
  ];
}

function input({ body, several, bodyOptional, params, query, dialect, form }: RouteOptions): MethodDecorator[] {
  const decorators: MethodDecorator[] = [];
  if (body) {
    const schema = answerSchema(several ? [body, several.body] : body);
    const mediaType = form === true ? 'application/x-www-form-urlencoded' : dialect?.mediaType;
    decorators.push(ApiBody({ schema, required: !bodyOptional }), ...(mediaType ? [ApiConsumes(mediaType)] : []));
  }
  for (const [name, { kind, description }] of Object.entries(params ?? {}))
    decorators.push(ApiParam({ name, description, schema: kind.schema }));
  for (const [name, spec] of query ? fieldsOf(query) : []) {
    const { description, ...schema } = fieldSchema(spec);
    if (name.endsWith('.*')) {
      decorators.push(ApiQuery(parametersOf(name, String(description), schema) as never));
      continue;
    }
    const list = schema['type'] === 'array' ? { style: 'form', explode: false } : {};
    decorators.push(
      ApiQuery({ name, required: !spec.optional, description: String(description), schema, ...list } as never),
    );
  }
  return decorators;
}

/**
 * One parameter for all names that match a pattern, such as `customFields.*`. OpenAPI describes the members of an
 * object in a query as separate parameters (`form`, exploded). Here their names include the prefix.
 */
function parametersOf(name: string, description: string, schema: JsonSchema) {
  const member = { propertyNames: { pattern: `^${name.slice(0, -2)}\\.[a-zA-Z]\\w{0,39}$` }, additionalProperties: schema };
  return {
    name: name.slice(0, -2),
    required: false,
    description,
    schema: { type: 'object', ...member },
    style: 'form',
    explode: true,
  };
}

/** Schema of a response: a reference, or one of several. */
export function answerSchema(answer: ModelClass | ModelClass[]): JsonSchema {
  const references = [answer].flat().map((model) => ({ $ref: `#/components/schemas/${model.name}` }));
  return references.length === 1 ? references[0]! : { anyOf: references };
}
