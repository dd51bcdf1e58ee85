import { applyDecorators, HttpCode, RequestMethod, SetMetadata, type Type, UseInterceptors } from '@nestjs/common';
import { RouteSchema } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import type { Permission } from '#libs/auth/permissions.js';
import type { CredentialKind } from '#libs/auth/api-key.js';
import type { ProblemCode } from '#libs/kernel/problem.js';
import type { Dialect } from './dialect.js';
import { IdempotencyInterceptor } from './idempotency/idempotency.interceptor.js';
import type { JsonSchema, Kind, ModelClass } from './field.js';
import { serializerSchemaOf } from './schema.js';
import { isObject } from '#libs/kernel/is-object.js';
import { startingOver } from './starting-over.js';
import { UploadInterceptor } from './uploads/upload.interceptor.js';

/**
 * An additional scope in the cases that `when` describes. `*:read` means the read scope of a type that the request
 * names, `*` the scopes of other operations that it triggers.
 */
export interface Besides {
  scope: Permission | '*:read' | '*';
  when: string;
}

/** The declaration of a route, used by guards, validation, OpenAPI and the generated tests. */
export interface RouteOptions {
  /** Operation id, `area.resources.action`. */
  id: string;
  summary: string;
  description?: string;
  /**
   * The required permission; `public` for everybody; `any` for every valid credential of the tenant, but for partners
   * only with {@link forPartners}, because they would need no scope for it.
   */
  permission: Permission | 'any' | 'public';
  /** For a public operation whose handler checks a credential itself: its security schemes in the OpenAPI document. */
  securitySchemes?: readonly ('operatorKey' | 'bearerAuth' | 'cookieAuth')[];
  /** The service that refuses callers of such an operation, so that only the input of the others is judged. */
  callers?: Type<Callers>;
  /**
   * Type key of its records, `*` for any type. The handler decides about each record, so the guard accepts a
   * permission with a limited reach, or an exception for single records.
   */
  object?: string;
  /**
   * The handler restricts itself to the reach of the permission. By default the permission must cover the whole
   * tenant.
   */
  withinReach?: boolean;
  /** Permissions that suffice for a part of the operation; the handler restricts itself to that part. */
  parts?: readonly Permission[];
  /** Additional scopes that the handler checks. */
  besides?: readonly Besides[];
  /**
   * A protected operation: requires a key that allows such operations, or a session with a recent second factor. A
   * list names the members of the body that make it protected.
   */
  protected?: true | readonly string[];
  /** Status of a successful response; 200 by default. */
  status?: 200 | 201 | 202 | 204 | 303;
  /** Model of the 202 response if the work is not finished yet; see `Accepted`. */
  accepted?: ModelClass;
  /** Model of the 200 response, instead of 201, if the record already exists; see `alreadyThere`. */
  there?: ModelClass;
  /** The body that has `items` in place of the members of {@link body}, and the model of its 200 response. */
  several?: { body: ModelClass; answer: ModelClass };
  /** Model of the successful response: several if it varies, none for a redirect or a file. */
  answer: ModelClass | ModelClass[];
  /** A session without a tenant is sufficient. */
  tenantless?: boolean;
  /** A third party builds the query and may add parameters, so the handler validates it. */
  openQuery?: boolean;
  /**
   * People open it in a browser, which gets problems as pages. `signIn` is the relative link to the sign-in, null for
   * none. With `comesBack`, the person returns to the page after signing in.
   */
  page?: { signIn: string | null; comesBack?: true };
  /** When the response is a page with status 200 instead. */
  pageDescription?: string;
  answerDescription?: string;
  /**
   * Media types of a download besides JSON, chosen by a parameter. Without {@link answer}, the response is always such a
   * file, or the 202 of {@link accepted}.
   */
  downloads?: readonly string[];
  /** The response is a file, or a range of its bytes (206); {@link answer} is empty. */
  bytes?: true;
  /** When the response has no content instead; status 204 unless {@link emptyStatus} is set. */
  emptyDescription?: string;
  emptyStatus?: 202 | 204;
  body?: ModelClass;
  /** The body is optional. */
  bodyOptional?: boolean;
  query?: ModelClass;
  /** Path parameters that are not ids. */
  params?: Record<string, { kind: Kind; description: string }>;
  /** Problems of this operation, in addition to the general ones. */
  problems?: ProblemCode[];
  /** The response is one record with a version: it gets an ETag, and `If-Match` is supported. */
  record?: boolean;
  /** Path of the collection of a new record, for `Location`, if it differs from the route's path. */
  location?: string;
  /**
   * The response contains a secret: the copy stored for its idempotency key is encrypted, and each replay is audited.
   * A list names the members that can contain the secret.
   */
  secretAnswer?: boolean | readonly string[];
  /**
   * The handler has no lasting effect before its unit of work, so the idempotency key is claimed in the same
   * transaction.
   */
  keyInFlight?: boolean;
  /** A POST without effects: it counts as a read. */
  safe?: true;
  /**
   * Limited by person for sessions, apart from the plan, so that people can see who uses up the limits of the tenant.
   */
  byPerson?: true;
  /** A write without an idempotency key, sent by a page or another protocol. */
  keyless?: true;
  /**
   * The request brings a file: its body is the file (`application/octet-stream`), or may also be a form with the members
   * of the model and a file (`multipart/form-data`).
   */
  upload?: 'bytes' | { form: ModelClass };
  /**
   * The body is an HTML form (`application/x-www-form-urlencoded`); with `too`, JSON or a form. Fields that are left empty
   * in the latter are not sent.
   */
  form?: true | 'too';
  /** Concerns the caller's own access, so partners cannot call it, whatever their scopes. */
  inPerson?: true;
  /**
   * With `permission: 'any'`: partners can call it. It says nothing about the person that the consent page does not
   * say, nothing about records that the scopes do not include, and changes nothing.
   */
  forPartners?: true;
  tag?: string;
  /** Requires a person: a credential that does not act for one gets 403. */
  ofPerson?: true;
  /** The only accepted kind of credential. By default all kinds except SCIM tokens are accepted. */
  credential?: CredentialKind;
  /** The dialect of its path, if any. */
  dialect?: Dialect;
  /** Body and response for the document, if the fields' examples do not form good ones. */
  example?: { body?: object | undefined; answer?: object | undefined };
}

/** Knows who may call operations whose handlers check a credential themselves. */
export interface Callers {
  /** @throws Problem 401, 403, 429. */
  admit(request: FastifyRequest, route: RouteOptions): Promise<void>;
}

const ROUTE = 'platform:route';

/**
 * Declares a handler; without it the process does not start. Must be above `@Get()`, `@Post()` and so on, because a
 * write also gets the interceptor for idempotency keys.
 */
export function Route(options: RouteOptions): MethodDecorator {
  const declare = declaration(options);
  return <T>(target: object, key: string | symbol, descriptor: TypedPropertyDescriptor<T>) => {
    const method = Reflect.getMetadata('method', descriptor.value as object) as RequestMethod | undefined;
    if (method === undefined) throw new Error(`@Route() of ${String(key)} must stand above its @Get(), @Post(), ...`);
    if (options.permission !== 'public') descriptor.value = startingOver(descriptor.value as never) as never; // the same handler to whoever calls it
    const interceptors = [
      ...(options.upload ? [UploadInterceptor] : []),
      ...(KEYED.has(method) && !options.keyless ? [IdempotencyInterceptor] : []),
    ];
    if (interceptors.length > 0) UseInterceptors(...interceptors)(target, key, descriptor);
    declare(target, key, descriptor);
  };
}

const KEYED = new Set([RequestMethod.POST, RequestMethod.PUT, RequestMethod.PATCH]);

function declaration(options: RouteOptions): MethodDecorator {
  return applyDecorators(...serializer(options), SetMetadata(ROUTE, options), HttpCode(options.status ?? 200));
}

/**
 * The compiled serializer of the response. It is faster than JSON.stringify, and drops members that the model does not
 * declare. With several models, it writes the members that the response has. Dialects define the members of their
 * responses themselves, and a file has none.
 */
function serializer({
  answer,
  accepted,
  there,
  several,
  bytes,
  dialect,
  status = 200,
}: RouteOptions): MethodDecorator[] {
  if (dialect || bytes) return [];
  const schemas = [answer].flat().map(serializerSchemaOf);
  const members = schemas.map(({ properties }) => properties as Record<string, JsonSchema>);
  const either = { type: 'object', properties: Object.assign({}, ...members) as object };
  const others = {
    ...(accepted && { 202: serializerSchemaOf(accepted) }),
    ...(there && { 200: serializerSchemaOf(there) }),
    ...(several && { 200: serializerSchemaOf(several.answer) }),
  };
  return [RouteSchema({ response: { [status]: schemas.length === 1 ? schemas[0]! : either, ...others } })];
}

/** The model of a body: a route that takes several records at once tells them by `items`. */
export function bodyModelOf({ body, several }: RouteOptions, given: unknown): ModelClass | undefined {
  return several && isObject(given) && 'items' in given ? several.body : body;
}

/** Whether partners cannot call a route with any scope. */
export function isClosedToPartners({ permission, inPerson, forPartners }: RouteOptions): boolean {
  return inPerson === true || (permission === 'any' && forPartners !== true);
}

/** The declaration of a handler; undefined if there is none. */
export function routeOf(handler: object): RouteOptions | undefined {
  return Reflect.getMetadata(ROUTE, handler) as RouteOptions | undefined;
}
