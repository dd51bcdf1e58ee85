import { applyDecorators, HttpCode, RequestMethod, SetMetadata, UseInterceptors } from '@nestjs/common';
import { RouteSchema } from '@nestjs/platform-fastify';
import type { Permission } from '#libs/auth/permissions.js';
import type { CredentialKind } from '#libs/auth/api-key.js';
import type { ProblemCode } from '#libs/kernel/problem.js';
import type { Dialect } from './dialect.js';
import { IdempotencyInterceptor } from './idempotency/idempotency.interceptor.js';
import type { JsonSchema, Kind, ModelClass } from './field.js';
import { serializerSchemaOf } from './schema.js';
import { startingOver } from './starting-over.js';

/** A scope that a handler asks for besides, in the cases that `when` says. `*:read` stands for that of a type that the request names, `*` for those of other operations that it leads to. */
export interface Besides {
  scope: Permission | '*:read' | '*';
  when: string;
}

/** What a route is, declared once: guards, validation, OpenAPI and the generated tests read it. */
export interface RouteOptions {
  /** Operation id, `area.resources.action`. */
  id: string;
  summary: string;
  description?: string;
  /** What the caller must hold; `any` for whoever has a valid credential; `public` for everyone. */
  permission: Permission | 'any' | 'public';
  /**
   * Type key of the records that it is about, `*` for whatever type. The handler decides about each of them, so that a permission that reaches
   * only some, or a grant for single ones, is enough to come in.
   */
  object?: string;
  /** The handler keeps to what the permission reaches. If not said, it has to reach the whole tenant. */
  withinReach?: boolean;
  /** Permissions that are enough for a part of what it does; the handler keeps to the part. */
  parts?: readonly Permission[];
  /** What the handler asks for besides. */
  besides?: readonly Besides[];
  /**
   * A protected operation: it takes a key that allows these, or a session with a second factor of late. A list has the
   * members of the body with one of which it is one.
   */
  protected?: true | readonly string[];
  /** Status of success; 200 when not said. */
  status?: 200 | 201 | 202 | 204 | 303;
  /** What it answers with 202 when not all is done yet; see `Accepted`. */
  accepted?: ModelClass;
  /** What success answers; one of several models when there is more than one, none for a redirect. */
  answer: ModelClass | ModelClass[];
  /** The session of somebody who has chosen no tenant is enough. */
  tenantless?: boolean;
  /** Its query is written by somebody else, who may add to it: the handler reads it. */
  openQuery?: boolean;
  /** People come to it with a browser, which gets problems as pages. */
  page?: boolean;
  answerDescription?: string;
  /** When it answers 204 instead. */
  emptyDescription?: string;
  body?: ModelClass;
  /** The body may be left out. */
  bodyOptional?: boolean;
  query?: ModelClass;
  /** Path parameters that are not ids. */
  params?: Record<string, { kind: Kind; description: string }>;
  /** Problems that the operation decides itself, beyond those that every operation can answer with. */
  problems?: ProblemCode[];
  /** The answer is one record with a version: it gets an ETag, and `If-Match` is understood. */
  record?: boolean;
  /** Path of the collection that a new record is in, for `Location`, when it is not the path of the route. */
  location?: string;
  /** The answer shows a secret: what an idempotency key keeps of it is sealed. */
  secretAnswer?: boolean;
  /** What it does before its unit of work has no effect that counts, so that an idempotency key is claimed with the effect. */
  keyInFlight?: boolean;
  tag?: string;
  /** The one kind of credential that it takes, where keys and sessions are not for it. */
  credential?: CredentialKind;
  /** How it speaks, where that is not the API's own way; the same as that of its path. */
  dialect?: Dialect;
  /** Body and answer for the document, where the examples of the single fields do not add up to good ones. */
  example?: { body?: object | undefined; answer?: object | undefined };
}

const ROUTE = 'platform:route';

/**
 * Declares a handler; one without it does not start. Stands above `@Get()`, `@Post()` and so on, because a write also
 * gets the interceptor for idempotency keys.
 */
export function Route(options: RouteOptions): MethodDecorator {
  const declare = declaration(options);
  return <T>(target: object, key: string | symbol, descriptor: TypedPropertyDescriptor<T>) => {
    const method = Reflect.getMetadata('method', descriptor.value as object) as RequestMethod | undefined;
    if (method === undefined) throw new Error(`@Route() of ${String(key)} must stand above its @Get(), @Post(), ...`);
    if (options.permission !== 'public') descriptor.value = startingOver(descriptor.value as never) as never; // the same handler to whoever calls it
    if (KEYED.has(method)) UseInterceptors(IdempotencyInterceptor)(target, key, descriptor);
    declare(target, key, descriptor);
  };
}

const KEYED = new Set([RequestMethod.POST, RequestMethod.PUT, RequestMethod.PATCH]);

function declaration(options: RouteOptions): MethodDecorator {
  return applyDecorators(...serializer(options), SetMetadata(ROUTE, options), HttpCode(options.status ?? 200));
}

/**
 * The compiled serializer of the answer: faster than JSON.stringify, and it drops what the model does not declare. Of
 * several models it writes the members that the answer has. Members of answers in a dialect are for its own schemas to say.
 */
function serializer({ answer, accepted, dialect, status = 200 }: RouteOptions): MethodDecorator[] {
  if (dialect) return [];
  const schemas = [answer].flat().map(serializerSchemaOf);
  const members = schemas.map(({ properties }) => properties as Record<string, JsonSchema>);
  const either = { type: 'object', properties: Object.assign({}, ...members) as object };
  const waiting = accepted ? { 202: serializerSchemaOf(accepted) } : {};
  return [RouteSchema({ response: { [status]: schemas.length === 1 ? schemas[0]! : either, ...waiting } })];
}

/** The declaration of a handler; undefined when there is none. */
export function routeOf(handler: object): RouteOptions | undefined {
  return Reflect.getMetadata(ROUTE, handler) as RouteOptions | undefined;
}
