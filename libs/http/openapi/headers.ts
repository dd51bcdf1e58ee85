import type { RouteOptions } from '../route.js';
import type { Header, Parameter, Reference } from './parts.js';

const SOME_TAG = '"3"';

/** Header parameters that operations share, by the name of their component. */
export const SHARED_PARAMETERS = {
  TenantSlug: {
    name: 'x-tenant-slug',
    in: 'header',
    description:
      'Slug of the tenant. Required with `Authorization: Bearer`; optional with `x-api-key`, and then it must be the tenant of the key.',
    schema: { type: 'string', examples: ['acme'] },
  },
  RequestId: {
    name: 'x-request-id',
    in: 'header',
    description:
      'Id for this request, 8 to 128 letters, digits, `_` or `-`. Anything else is replaced by an id of our own. It comes back in the answer, the audit log and events.',
    schema: { type: 'string', examples: ['checkout-7f1d0a52c4'] },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes a retry safe: within 10 minutes the same request with the same key has no second effect and gets the first answer again. 1 to 255 visible ASCII characters; quotes around it do not count.',
    schema: {
      type: 'string',
      pattern: '^(?!""$)([\\x21-\\x7e]{1,255}|"[\\x21-\\x7e]{1,255}")$',
      examples: ['order-4711'],
    },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'ETags of the versions that the change is meant for, or `*`. If the record has another version by now: 412, and nothing changes. Weak tags match nothing.',
    schema: { type: 'string', examples: [SOME_TAG] },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'ETags of the versions that you have, or `*`. If one of them is current: 304 without a body.',
    schema: { type: 'string', examples: [SOME_TAG] },
  },
  Range: {
    name: 'Range',
    in: 'header',
    description:
      'One range of bytes, such as `bytes=0-1023` or `bytes=-500`: 206 with these bytes, or 416 if the file has none of them. Several ranges, and other forms, get the whole file.',
    schema: { type: 'string', examples: ['bytes=0-1023'] },
  },
  IfRange: {
    name: 'If-Range',
    in: 'header',
    description: 'ETag of the file of which you have a part. If the file has another one by now, you get all of it.',
    schema: { type: 'string', examples: [`"${'0'.repeat(64)}"`] },
  },
  FileIfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'ETags of the files that you have, or `*`. If one of them is this file: 304 without a body.',
    schema: { type: 'string', examples: [`"${'0'.repeat(64)}"`] },
  },
} satisfies Record<string, Parameter>;

/** Headers that responses share, by the name of their component. */
export const SHARED_HEADERS = {
  RequestId: {
    description: 'Id of the request: yours if it was usable, else a new one. Quote it when you ask us about a request.',
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{8,128}$', examples: ['req_0f0a3f6e-7a53-4d0e-9c38-3f5b5f8d7c11'] },
  },
  RateLimit: {
    description: 'Requests of this class that are left (`r`) and whole seconds until the oldest counted one no longer counts (`t`).',
    required: true,
    schema: { type: 'string', pattern: '^"(read|write|person|scim)";r=\\d+;t=\\d+$', examples: ['"read";r=599;t=60'] },
  },
  Policy: {
    description: 'Requests of this class (`q`) that the plan, or the key itself, allows in any window of `w` seconds.',
    required: true,
    schema: { type: 'string', pattern: '^"(read|write|person|scim)";q=\\d+;w=(60|4)$', examples: ['"read";q=600;w=60'] },
  },
  Limit: {
    description: 'As `q` in `RateLimit-Policy`.',
    required: true,
    schema: { type: 'string', pattern: '^\\d+$', examples: ['600'] },
  },
  Remaining: {
    description: 'As `r` in `RateLimit`.',
    required: true,
    schema: { type: 'string', pattern: '^\\d+$', examples: ['599'] },
  },
  Reset: {
    description: 'Time at which the oldest counted request stops counting, in Unix seconds.',
    required: true,
    schema: { type: 'string', pattern: '^\\d+$', examples: ['1795252562'] },
  },
  ETag: {
    description: 'Version of the record, for `If-Match` and `If-None-Match`.',
    schema: { type: 'string', pattern: '^(W/)?"\\d+"$', examples: [SOME_TAG] },
  },
  FileTag: {
    description: 'SHA-256 of the whole file, for `If-Range` and `If-None-Match`.',
    required: true,
    schema: { type: 'string', pattern: '^"[0-9a-f]{64}"$', examples: [`"${'0'.repeat(64)}"`] },
  },
  Disposition: {
    description: 'Whether a browser shows the file or saves it, and its name.',
    required: true,
    schema: { type: 'string', pattern: '^(inline|attachment); filename=".*$', examples: ['attachment; filename="offer.pdf"'] },
  },
  ContentRange: {
    description: 'Which bytes of the file these are.',
    required: true,
    schema: { type: 'string', pattern: '^bytes \\d+-\\d+/\\d+$', examples: ['bytes 0-1023/20480'] },
  },
  Location: {
    description: 'Path of the new resource.',
    required: true,
    schema: { type: 'string', examples: ['/api/v1/sales/deals/019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20'] },
  },
  Replayed: {
    description: 'Present when this is the stored answer of an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', const: 'true' },
  },
  RetryAfter: {
    description: 'Whole seconds to wait before the next try.',
    schema: { type: 'string', pattern: '^[1-9]\\d*$', examples: ['7'] },
  },
  WwwAuthenticate: {
    description: 'The ways to authenticate. `Source:` RFC 9110 section 11.6.1.',
    required: true,
    schema: { type: 'string', examples: ['Bearer realm="platform", ApiKey realm="platform", header="x-api-key"'] },
  },
  TokenChallenge: {
    description:
      'What a bearer token lacks: a scope (`insufficient_scope`) or a second factor (`insufficient_user_authentication`). Absent if no other token would help. `Source:` RFC 6750 section 3, RFC 9470 section 3.',
    schema: {
      type: 'string',
      examples: ['Bearer realm="platform", error="insufficient_scope", scope="invoices:read", ApiKey realm="platform"'],
    },
  },
  AcceptEncoding: {
    description: 'Present when the body had a `Content-Encoding`: the one to send it with, which is none.',
    schema: { type: 'string', const: 'identity' },
  },
} satisfies Record<string, Header>;

export const parameterRef = (name: keyof typeof SHARED_PARAMETERS): Reference => ({
  $ref: `#/components/parameters/${name}`,
});

export const headerRef = (name: keyof typeof SHARED_HEADERS): Reference => ({ $ref: `#/components/headers/${name}` });

/** Headers of every response of an operation. Includes rate limits only if the operation requires a credential. */
export function commonHeaders(limited: boolean): Record<string, Reference> {
  return {
    'x-request-id': headerRef('RequestId'),
    ...(limited
      ? {
          RateLimit: headerRef('RateLimit'),
          'RateLimit-Policy': headerRef('Policy'),
          'x-ratelimit-limit': headerRef('Limit'),
          'x-ratelimit-remaining': headerRef('Remaining'),
          'x-ratelimit-reset': headerRef('Reset'),
        }
      : {}),
  };
}

/** Headers of an operation's successful response. */
export function successHeaders(route: RouteOptions, traits: { limited: boolean; idempotent: boolean }) {
  return {
    ...commonHeaders(traits.limited),
    ...(route.bytes ? { ETag: headerRef('FileTag'), 'Content-Disposition': headerRef('Disposition') } : {}),
    ...(route.record ? { ETag: headerRef('ETag') } : {}),
    ...(route.status === 201 ? { Location: headerRef('Location') } : {}),
    ...(traits.idempotent ? { 'Idempotent-Replayed': headerRef('Replayed') } : {}),
  };
}
