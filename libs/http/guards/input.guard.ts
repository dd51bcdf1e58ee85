import { isUtf8 } from 'node:buffer';
import { MIMEType } from 'node:util';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import { unstorableAt } from '#libs/kernel/storable.js';
import { parseStrictJson } from '#libs/kernel/strict-json.js';
import type { Dialect } from '../dialect.js';
import { fieldsOf, type FieldSpec, id } from '../field.js';
import { isDecodable, undecodableParameters } from '../query-text.js';
import { bodyModelOf, routeOf, type RouteOptions } from '../route.js';
import { BYTES, MULTIPART } from '../uploads/upload-bodies.js';
import { bodyViolations, readQuery } from '../validation.js';

const ID = id();
const JSON_TYPES = ['application/json', 'application/merge-patch+json'];
/** Media type of HTML forms. */
const FORM = 'application/x-www-form-urlencoded';
const NO_QUERY = class NoQuery {};
const NO_BODY = class NoBody {};

/**
 * Fourth guard: path, query and body must match the route's declaration; otherwise 400 with all failures. Runs before
 * interceptors, so that a request that cannot succeed never claims an idempotency key. Replaces the query with its
 * parsed values and an absent body with an empty object.
 */
@Injectable()
export class InputGuard implements CanActivate {
  constructor(private readonly modules: ModuleRef) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const route = routeOf(context.getHandler())!;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (!route.callers) return this.judge(route, request);
    try {
      return this.judge(route, request);
    } catch (fault) {
      const callers = this.modules.get(route.callers, { strict: false });
      return callers.admit(request, route).then(() => {
        throw fault;
      });
    }
  }

  private judge(route: RouteOptions, request: FastifyRequest): true {
    const undecodable = undecodableParameters(request.url);
    if (undecodable.length > 0) throw Problem.validation(undecodable);
    if (route.dialect) return this.bodyOf(route, request);
    if (route.openQuery) return true;
    const query = readQuery(route.query ?? NO_QUERY, request.query as Record<string, unknown>);
    const violations = [...paramViolations(route, request), ...query.violations, ...this.body(route, request)];
    if (violations.length > 0) throw Problem.validation(violations);
    request.query = query.values;
    return true;
  }

  /** In a dialect, the operation validates parameters and bodies itself. */
  private bodyOf(route: RouteOptions, request: FastifyRequest): true {
    request.body = request.method === 'GET' || request.method === 'HEAD' ? undefined : readBody(request, route);
    return true;
  }

  /** Bytes and forms are read once the request is allowed. @throws Problem 415 where none are wanted. */
  private file({ upload }: RouteOptions, request: FastifyRequest): Violation[] {
    const { uploadStream, headers } = request;
    const type = mediaTypeOf(headers['content-type'] ?? '')?.essence;
    const wanted = upload === 'bytes' ? [BYTES] : ['application/json', ...(upload ? [MULTIPART] : [])];
    if (!uploadStream || type === undefined || !wanted.includes(type))
      throw new Problem('unsupported_media_type', `Send the body as ${wanted.join(' or ')}.`);
    refuseEncoded(headers);
    request.body = {};
    return [];
  }

  private body(route: RouteOptions, request: FastifyRequest): Violation[] {
    if (request.method === 'GET' || request.method === 'HEAD') return [];
    if (request.uploadStream || route.upload === 'bytes') return this.file(route, request);
    request.body = readBody(request, route);
    if (request.body === undefined && (!route.body || route.bodyOptional)) {
      request.body = {};
      return [];
    }
    if (request.body === undefined) return [{ pointer: '', code: 'required', detail: 'The operation needs a body.' }];
    const violations = bodyViolations(bodyModelOf(route, request.body) ?? NO_BODY, request.body);
    return violations.length > 0 ? violations : unstorable(request.body);
  }
}

/** The fault of text that no column can hold, where the declaration leaves the content of a value open. */
function unstorable(body: unknown): Violation[] {
  const pointer = unstorableAt(body);
  if (pointer === null) return [];
  const detail = 'A text holds NUL or half of a surrogate pair, which cannot be stored.';
  return [{ pointer, code: 'invalid_characters', detail }];
}

/**
 * The parsed JSON or form body; undefined without a body.
 * @throws Problem 415 for another media type or an encoded body, 400 `malformed_json`, `bad_request`.
 */
function readBody(
  { body, headers, uploadStream }: FastifyRequest,
  { dialect, form, body: model }: RouteOptions,
): unknown {
  if (!uploadStream && (!Buffer.isBuffer(body) || body.length === 0)) return undefined;
  const type = headers['content-type'] ?? '';
  const isForm = form !== undefined && mediaTypeOf(type)?.essence === FORM;
  if (!isForm && (form === true || !isJson(type, dialect))) {
    const other = form ? FORM : dialect?.mediaType;
    const accepted = form === true ? FORM : `${other ? `${other} or ` : ''}application/json in UTF-8`;
    throw new Problem('unsupported_media_type', `Send the body as ${accepted}.`);
  }
  refuseEncoded(headers);
  if (!isForm) return parseStrictJson(body as Buffer); // no upload has these types
  const known = form === true ? undefined : model && fieldsOf(model);
  const fields = parseForm(body as Buffer, known);
  return form === true ? fields : typedFields(fields, known);
}

/** @throws Problem 415 for an encoded body. */
function refuseEncoded(headers: FastifyRequest['headers']): void {
  if (isPlain(headers['content-encoding'] ?? '')) return;
  throw new Problem('unsupported_media_type', 'Send the body as it is, without a Content-Encoding.', {
    headers: { 'accept-encoding': 'identity' },
  });
}

type Members = Record<string, string | string[]>;
type Known = ReadonlyMap<string, FieldSpec> | undefined;

/** The fields of a form. Each field may occur only once, except lists. */
function parseForm(body: Buffer, known: Known): Members {
  const text = body.toString();
  if (!isUtf8(body) || !isDecodable(text)) throw new Problem('bad_request', 'The form is not in UTF-8.');
  const members = Map.groupBy(new URLSearchParams(text), ([name]) => name);
  return Object.fromEntries(
    [...members].map(([name, given]): [string, string | string[]] => {
      const [value, ...others] = given.map((member) => member[1]);
      if (typeOf(known, name) === 'array') return [name, [value!, ...others]];
      if (others.length > 0) throw new Problem('bad_request', 'A member of the form occurs twice.');
      return [name, value!];
    }),
  );
}

/** The filled-in fields of a form, as the members of a body: a ticked box is true, digits may be a number. */
function typedFields(fields: Members, known: Known): Record<string, unknown> {
  const typed = (name: string, value: string | string[]) => {
    const type = typeOf(known, name);
    if (type === 'boolean' && value === 'true') return true;
    return type === 'integer' && typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  };
  const filled = Object.entries(fields)
    .map(([name, value]) => [name, Array.isArray(value) ? value.filter((each) => each !== '') : value] as const)
    .filter(([, value]) => value.length > 0);
  return Object.fromEntries(filled.map(([name, value]) => [name, typed(name, value)]));
}

function typeOf(known: Known, name: string): unknown {
  return known?.get(name)?.kind.schema['type'];
}

/** Whether a media type is JSON in UTF-8. Other parameters have no meaning for JSON. `Source:` RFC 8259 section 11. */
function isJson(text: string, dialect?: Dialect): boolean {
  const type = mediaTypeOf(text);
  if (!type || (type.params.get('charset') ?? 'utf-8').toLowerCase() !== 'utf-8') return false;
  return type.essence === dialect?.mediaType || JSON_TYPES.includes(type.essence);
}

function mediaTypeOf(text: string): MIMEType | null {
  try {
    return new MIMEType(text);
  } catch {
    return null;
  }
}

/** Whether a body is unencoded: `identity` means no encoding. */
function isPlain(encoding: string): boolean {
  return encoding.split(',').every((each) => ['', 'identity'].includes(each.trim().toLowerCase()));
}

function paramViolations(route: RouteOptions, request: FastifyRequest): Violation[] {
  return Object.entries(request.params as Record<string, string>).flatMap(([parameter, value]) =>
    (route.params?.[parameter]?.kind ?? ID).check(value).map(({ code, detail }) => ({ parameter, code, detail })),
  );
}
