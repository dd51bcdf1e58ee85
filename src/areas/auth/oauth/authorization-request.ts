import { coveredBy, isScope, type Permission, permissionsOf } from '#libs/auth/permissions.js';
import type { OauthClient } from '#libs/auth/oauth-clients.js';
import { OauthError } from './oauth-error.js';

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
const MAX_STATE = 500;

/** A validated authorization request of a known client with a registered redirect URI. */
export interface AuthorizationRequest {
  state: string | null;
  /** All requested permissions, with wildcards expanded. */
  permissions: Permission[];
  challenge: string;
}

/** Value of a parameter; null if it is missing or empty. @throws OauthError if it occurs more than once. */
export function single(query: URLSearchParams, name: string): string | null {
  const values = query.getAll(name);
  if (values.length > 1) throw new OauthError('invalid_request', `The parameter ${name} occurs twice.`);
  return values[0] || null;
}

/** Parses the other parameters. @throws OauthError, which is reported to the client. `Source:` RFC 6749 section 4.1.1. */
export function authorizationRequest(query: URLSearchParams, client: OauthClient): AuthorizationRequest {
  for (const name of ['request', 'request_uri'])
    if (query.has(name)) throw new OauthError('request_not_supported', `The parameter ${name} is not supported.`);
  if (single(query, 'response_type') !== 'code')
    throw new OauthError('unsupported_response_type', 'The response_type must be code.');
  if (![null, 'query'].includes(single(query, 'response_mode')))
    throw new OauthError('invalid_request', 'The response_mode must be query.');
  const challenge = single(query, 'code_challenge');
  if (challenge === null || single(query, 'code_challenge_method') !== 'S256')
    throw new OauthError('invalid_request', 'PKCE with the code_challenge_method S256 is required.');
  if (!CHALLENGE.test(challenge))
    throw new OauthError('invalid_request', 'The code_challenge must be 43 characters of base64url.');
  const state = single(query, 'state');
  if (state !== null && state.length > MAX_STATE)
    throw new OauthError('invalid_request', `The state may have at most ${MAX_STATE} characters.`);
  return { state, permissions: permissionsAsked(single(query, 'scope'), client), challenge };
}

/** @throws OauthError `invalid_scope` if the scope is empty, unknown or not allowed for the client. */
function permissionsAsked(text: string | null, { allowedScopes }: OauthClient): Permission[] {
  const scopes = (text ?? '').split(' ').filter((scope) => scope !== '');
  if (scopes.length === 0) throw new OauthError('invalid_scope', 'The scope names no permission.');
  if (!scopes.every(isScope)) throw new OauthError('invalid_scope', 'The scope names something that is no permission.');
  const allowed = new Set(coveredBy(allowedScopes));
  if (!scopes.every((scope) => permissionsOf(scope).every((each) => allowed.has(each))))
    throw new OauthError('invalid_scope', 'The scope exceeds the scopes allowed for the client.');
  return coveredBy(scopes);
}

const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(?=[/?]|$)/;

/**
 * Whether a redirect URI is one of the client's. That of an app on the user's machine may name any port, because the
 * app gets its port from the operating system. `Source:` RFC 8252 section 7.3.
 */
export function isRegistered({ redirectUris }: OauthClient, uri: string): boolean {
  const withoutPort = (each: string) => each.replace(LOOPBACK, '$1');
  return URL.canParse(uri) && redirectUris.some((each) => withoutPort(each) === withoutPort(uri));
}

/** Redirect URI with the parameters of the response. `Source:` RFC 6749 section 4.1.2, RFC 9207. */
export function answerUrl(
  redirectUri: string,
  answer: Record<string, string>,
  { state, issuer }: { state: string | null; issuer: string },
): string {
  const url = new URL(redirectUri);
  const members = { ...answer, ...(state === null ? {} : { state }), iss: issuer };
  for (const [name, value] of Object.entries(members)) url.searchParams.append(name, value);
  return url.href;
}
