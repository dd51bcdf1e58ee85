import type { Dialect } from '#libs/http/dialect.js';
import { Problem, type ProblemCode } from '#libs/kernel/problem.js';
import { ScimError, type ScimType } from '#libs/scim-language/scim-error.js';
import { headersOf } from './scim-headers.js';
import { SCIM_PATH } from './scim-path.js';
import { ScimErrorModel } from './scim.models.js';

const PREFIX = SCIM_PATH;
export const SCIM_MEDIA_TYPE = 'application/scim+json';

/** Resource names as the router expects them, by lower-case name. */
const HEADS = new Map(
  ['Users', 'Groups', 'Bulk', 'Me', 'Schemas', 'ResourceTypes', 'ServiceProviderConfig'].map((head) => [
    head.toLowerCase(),
    head,
  ]),
);

/** `scimType` of problems from other parts of the platform. `Source:` RFC 7644 table 9, RFC 9865 section 2.3. */
const SCIM_TYPES: Partial<Record<ProblemCode, ScimType>> = {
  malformed_json: 'invalidSyntax',
  validation_failed: 'invalidValue',
  cursor_invalid: 'invalidCursor',
  duplicate: 'uniqueness',
};

/** Problem codes for SCIM errors, which have only a status. */
const CODES: Record<number, ProblemCode> = {
  400: 'bad_request',
  403: 'permission_denied',
  404: 'not_found',
  409: 'duplicate',
  412: 'version_mismatch',
  413: 'payload_too_large',
  501: 'not_implemented',
};

/** Accepts paths in any case and with a trailing slash. */
function rewrite(url: string): string {
  const query = url.indexOf('?');
  const path = (query < 0 ? url : url.slice(0, query)).slice(PREFIX.length).replace(/\/+$/, '');
  const [, head = '', ...rest] = path.split('/');
  const known = [HEADS.get(head.toLowerCase()) ?? head, ...rest].join('/');
  return `${PREFIX}${known && `/${known}`}${query < 0 ? '' : url.slice(query)}`;
}

function problemOf(thrown: unknown): Problem | null {
  if (!(thrown instanceof ScimError)) return null;
  return new Problem(CODES[thrown.status] ?? 'internal_error', thrown.detail, { cause: thrown });
}

function errorOf(problem: Problem): object {
  const { cause } = problem.more;
  if (cause instanceof ScimError) return cause.body();
  const [first] = problem.more.errors ?? [];
  const detail = first?.pointer ? `${first.pointer}: ${first.detail}` : problem.detail;
  return new ScimError(problem.status, detail, SCIM_TYPES[problem.code]).body();
}

/** SCIM 2.0: RFC 7643, RFC 7644. */
export const SCIM: Dialect = {
  prefix: PREFIX,
  mediaType: SCIM_MEDIA_TYPE,
  challenge: 'Bearer realm="scim"',
  securityScheme: 'scimToken',
  errorModel: ScimErrorModel,
  rewrite,
  problemOf,
  errorOf,
  headersOf,
};
