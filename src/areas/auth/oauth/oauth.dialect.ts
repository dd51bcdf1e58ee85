import { Field, oneOf, text } from '#libs/http/field.js';
import type { Dialect } from '#libs/http/dialect.js';
import { Problem, type ProblemCode } from '#libs/kernel/problem.js';
import { OauthError } from './oauth-error.js';

/** OAuth `error` values for problems raised outside this module. */
const BY_CODE: Partial<Record<ProblemCode, string>> = {
  unauthenticated: 'invalid_client',
  internal_error: 'server_error',
  overloaded: 'temporarily_unavailable',
  rate_limit_exceeded: 'temporarily_unavailable',
  unavailable: 'temporarily_unavailable',
};
const ERRORS = [
  'invalid_client',
  'invalid_grant',
  'invalid_request',
  'invalid_scope',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_token_type',
];
const CHALLENGE = 'Basic realm="oauth", charset="UTF-8"';

/** An error of the token endpoint. `Source:` RFC 6749 section 5.2. */
export class OauthErrorDocument {
  @Field(oneOf(ERRORS), { description: 'Error code.', example: 'invalid_grant' })
  error!: string;

  @Field(text({ max: 1_000 }), { description: 'Human-readable explanation.', example: 'The code has expired.' })
  error_description!: string;
}

function problemOf(thrown: unknown): Problem | null {
  if (!(thrown instanceof OauthError)) return null;
  const more = { cause: thrown };
  if (thrown.code !== 'invalid_client') return new Problem('bad_request', thrown.description, more);
  return new Problem('unauthenticated', thrown.description, { ...more, headers: { 'www-authenticate': CHALLENGE } });
}

function errorOf({ code, detail, more }: Problem): OauthErrorDocument {
  const error = more.cause instanceof OauthError ? more.cause.code : (BY_CODE[code] ?? 'invalid_request');
  return { error, error_description: detail };
}

/** The OAuth 2.0 endpoints that a partner's server calls. */
export const OAUTH: readonly Dialect[] = ['token', 'revoke', 'introspect'].map((endpoint) => ({
  prefix: `/api/auth/oauth/${endpoint}`,
  mediaType: 'application/json',
  challenge: CHALLENGE,
  securityScheme: 'oauthClient',
  errorModel: OauthErrorDocument,
  rewrite: (url) => url,
  problemOf,
  errorOf,
  headersOf: () => ({}),
}));

/** The dialect of one endpoint. */
export function dialectAt(endpoint: 'token' | 'revoke' | 'introspect'): Dialect {
  return OAUTH.find(({ prefix }) => prefix.endsWith(endpoint))!;
}
