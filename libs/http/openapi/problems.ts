import { featureOf } from '#libs/auth/features.js';
import { Problem, PROBLEMS, type ProblemCode, type Violation } from '#libs/kernel/problem.js';
import type { Dialect } from '../dialect.js';
import { isClosedToPartners, type RouteOptions } from '../route.js';
import { headerRef } from './headers.js';
import type { Answer, Header, Reference } from './parts.js';
import { lettersOf } from './sharing.js';

/** What determines an operation's problems, besides its route's declaration. */
export interface OperationTraits {
  /** Requires no credential. */
  open: boolean;
  /** The method allows a body. */
  body: boolean;
  /** Accepts an `Idempotency-Key`. */
  idempotent: boolean;
  /** The path identifies a record. */
  item: boolean;
  /** Changes one record, so `If-Match` is supported. */
  conditional: boolean;
  /** Path, query and body are validated. */
  strict: boolean;
  /** Exempt from overload refusals. */
  exempt: boolean;
}

const DETAILS: Partial<Record<ProblemCode, string>> = {
  validation_failed: 'The field is required.',
  malformed_json: 'The member "name" occurs twice.',
  unauthenticated: 'The credential is missing or not valid.',
  permission_denied: 'The credential needs the scope deals:write.',
  not_found: 'There is no such resource in this tenant.',
  rate_limit_exceeded: 'The plan allows 600 read requests in any 60 seconds.',
  internal_error: 'An unexpected error occurred. It has been logged with the request id.',
};
const ERRORS: Partial<Record<ProblemCode, Violation[]>> = {
  validation_failed: [{ pointer: '/name', code: 'required', detail: 'The field is required.' }],
  idempotency_key_invalid: [
    { header: 'Idempotency-Key', code: 'invalid_format', detail: 'Use 1 to 255 visible ASCII characters.' },
  ],
};
const EXTENSIONS: Partial<Record<ProblemCode, object>> = {
  permission_denied: { requiredPermission: 'deals:write' },
  handoff_incomplete: { missingFields: ['summary.scope'], openItems: ['scope_signed'] },
  invalid_transition: { state: 'won', stage: 'won', action: 'win', allowedActions: ['reopen', 'archive'] },
  outbox_state_conflict: { state: 'pending', action: 'replay', allowedActions: ['skip'] },
  events_expired: { nextAfter: '1041' },
  required_fields_missing: { missingFields: ['expectedCloseDate'] },
  onboarding_open: { openItems: ['contract_signed'] },
  gate_denied: { gate: 'deal.win' },
  approval_pending: { approvalId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b90' },
  plan_limit_reached: { plan: 'free', limit: 3 },
  stale_version: { version: 4 },
  version_mismatch: { version: 4 },
  rate_limit_exceeded: { 'violated-policies': ['read'] },
  budget_exhausted: {
    budget: {
      id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b90',
      scope: { type: 'tenant', id: null },
      period: 'month',
      limitMicros: 50_000_000,
    },
    remaining: 12_000,
    resetsAt: '2026-12-01T00:00:00.000Z',
  },
};
const WAITS = new Set<ProblemCode>([
  'budget_exhausted',
  'rate_limit_exceeded',
  'overloaded',
  'unavailable',
  'idempotency_in_progress',
]);

/** Refusals of a bearer token that another one may meet. */
const CHALLENGED = new Set<ProblemCode>(['permission_denied', 'mfa_required', 'step_up_required']);

/** All problem codes of an operation: the general ones for its traits and its own. */
export function problemCodesOf(route: RouteOptions, traits: OperationTraits): ProblemCode[] {
  const { open, body, idempotent, item, conditional, strict, exempt } = traits;
  const codes: ProblemCode[] = [
    ...(route.problems ?? []),
    'bad_request',
    ...(strict ? (['validation_failed'] as const) : []),
    'headers_too_large',
    'internal_error',
  ];
  if (!open) codes.push('unauthenticated', 'tenant_suspended', 'ip_not_allowed', 'rate_limit_exceeded', 'unavailable');
  if (!exempt) codes.push('overloaded');
  if (!open && strict) codes.push('tenant_mismatch');
  if (!open && strict && !route.tenantless) codes.push('tenant_required');
  if (!open && strict && !route.id.startsWith('auth.')) codes.push('mfa_required');
  if (!open && (featureOf(route.id) !== null || route.params?.['area'])) codes.push('feature_disabled');
  if (!open && strict && body) codes.push('csrf_refused');
  if (!open && (!strict || isClosedToPartners(route))) codes.push('permission_denied');
  if (!open && route.permission !== 'any') codes.push('permission_denied');
  if (route.protected) codes.push('step_up_required');
  if (body) codes.push('payload_too_large', 'unsupported_media_type');
  if (body && route.form !== true) codes.push('malformed_json');
  if (idempotent)
    codes.push(
      'idempotency_key_invalid',
      'idempotency_in_progress',
      'idempotency_key_reused',
      'idempotency_answer_erased',
    );
  if (item) codes.push('not_found');
  if (conditional) codes.push('version_mismatch');
  return [...new Set(codes)].sort();
}

/** The problem responses of all operations: one component for each set of codes with the same status. */
export class ProblemComponents {
  /** `components.responses`. */
  readonly responses: Record<string, Answer> = {};
  /** `components.examples`. */
  readonly examples: Record<string, { summary: string; value: object }> = {};

  /** References to the responses for the codes, by status. */
  answersFor(codes: ProblemCode[], dialect?: Dialect): Record<string, Reference> {
    const byStatus = [...Map.groupBy(codes, (code) => PROBLEMS[code][0])];
    const refer = (found: ProblemCode[]) => (dialect ? this.inDialect(found, dialect) : this.reference(found));
    return Object.fromEntries(byStatus.map(([status, found]) => [String(status), refer(found)]));
  }

  private inDialect(codes: ProblemCode[], dialect: Dialect): Reference {
    const name = `${dialect.errorModel.name}.${nameOf(codes)}`;
    this.responses[name] ??= {
      ...problemAnswer(codes),
      content: {
        [dialect.mediaType]: {
          schema: { $ref: `#/components/schemas/${dialect.errorModel.name}` },
          example: dialect.errorOf(new Problem(codes[0]!, detailOf(codes[0]!))),
        },
      },
    };
    return { $ref: `#/components/responses/${name}` };
  }

  private reference(codes: ProblemCode[]): Reference {
    const name = nameOf(codes);
    this.responses[name] ??= problemAnswer(codes);
    for (const code of codes.filter(hasExample))
      this.examples[componentName(code)] ??= { summary: PROBLEMS[code][1], value: exampleOf(code) };
    return { $ref: `#/components/responses/${name}` };
  }
}

/**
 * The name of a set of codes: the status and letters that depend on the codes alone, so that no other operation changes
 * it. Short, because thousands of references contain it.
 */
function nameOf(codes: ProblemCode[]): string {
  return `${PROBLEMS[codes[0]!][0]}.${lettersOf(codes.join(' '))}`;
}

function detailOf(code: ProblemCode): string {
  return DETAILS[code] ?? `${PROBLEMS[code][1]}.`;
}

/** A code as a component name: `not_found` becomes `NotFound`. */
function componentName(code: ProblemCode): string {
  return code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function problemAnswer(codes: ProblemCode[]): Answer {
  const telling = codes
    .filter(hasExample)
    .map((code) => [code, { $ref: `#/components/examples/${componentName(code)}` }] as const);
  return {
    description: codes.length === 1 ? `${PROBLEMS[codes[0]!][1]}.` : codes.map((code) => `\`${code}\``).join(', '),
    ...(codes.includes('headers_too_large') ? {} : { headers: problemHeaders(codes) }),
    content: {
      'application/problem+json': {
        schema: {
          allOf: [{ $ref: '#/components/schemas/ProblemDocument' }],
          properties: { code: { type: 'string', enum: codes } },
        },
        ...(telling.length > 0 ? { examples: Object.fromEntries(telling) } : {}),
      },
    },
  };
}

function problemHeaders(codes: ProblemCode[]): Record<string, Header | Reference> {
  return {
    'x-request-id': headerRef('RequestId'),
    ...(codes.includes('unauthenticated') ? { 'WWW-Authenticate': headerRef('WwwAuthenticate') } : {}),
    ...(codes.some((code) => CHALLENGED.has(code)) ? { 'WWW-Authenticate': headerRef('TokenChallenge') } : {}),
    ...(codes.some((code) => WAITS.has(code)) ? { 'Retry-After': headerRef('RetryAfter') } : {}),
    ...(codes.includes('unsupported_media_type') ? { 'Accept-Encoding': headerRef('AcceptEncoding') } : {}),
  };
}

/** Whether an example adds information to the code, its status and its title. */
function hasExample(code: ProblemCode): boolean {
  return code in DETAILS || code in ERRORS || code in EXTENSIONS;
}

function exampleOf(code: ProblemCode): object {
  const [status, title] = PROBLEMS[code];
  const requestId = 'req_0f0a3f6e-7a53-4d0e-9c38-3f5b5f8d7c11';
  return {
    type: `urn:problem:${code}`,
    title,
    status,
    detail: detailOf(code),
    instance: `urn:request:${requestId}`,
    code,
    requestId,
    ...(ERRORS[code] ? { errors: ERRORS[code] } : {}),
    ...EXTENSIONS[code],
  };
}
