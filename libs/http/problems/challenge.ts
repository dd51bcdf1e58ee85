import type { FastifyRequest } from 'fastify';
import type { CredentialRefused } from '#libs/auth/credentials.js';
import type { Principal } from '#libs/auth/principal.js';
import { bearerOf, Misplaced } from '#libs/auth/strategies.js';
import type { Problem } from '#libs/kernel/problem.js';

/** The challenge of a 401. */
export const CHALLENGE = 'Bearer realm="platform", ApiKey realm="platform", header="x-api-key"';

/**
 * The challenge of a refused credential. A bearer token that is valid nowhere is called so. `Source:` RFC 6750 section 3.
 */
export function challengeOf(refused: CredentialRefused, { headers, dialect }: FastifyRequest): string {
  const challenge = dialect?.challenge ?? CHALLENGE;
  if (refused instanceof Misplaced || bearerOf(headers.authorization) === null) return challenge;
  return withError(challenge, { error: 'invalid_token' });
}

/**
 * What a valid bearer token lacks, for clients that know how to get a better one; null if no other token would help.
 * `Source:` RFC 6750 section 3.1, RFC 9470 section 3.
 */
export function challengeOfRefusal({ code, more }: Problem, request: FastifyRequest): string | null {
  const principal = request.scope.principal as Principal | null;
  if (!principal || bearerOf(request.headers.authorization) === null) return null;
  const { permissions, signIn } = principal;
  const scope = more.extensions?.['requiredPermission'];
  if (code === 'permission_denied' && typeof scope === 'string' && !permissions.inScope(scope))
    return withError(CHALLENGE, { error: 'insufficient_scope', scope });
  if (!signIn || (code !== 'mfa_required' && code !== 'step_up_required')) return null;
  const error = 'insufficient_user_authentication';
  if (code === 'mfa_required') return withError(CHALLENGE, { error });
  return withError(CHALLENGE, { error, max_age: String(signIn.mfa.stepUpMaxAgeMinutes * 60) });
}

/** Adds parameters to the first part of a challenge, which is that of bearer tokens. */
function withError(challenge: string, parameters: Record<string, string>): string {
  const added = Object.entries(parameters).map(([name, value]) => `, ${name}="${value}"`);
  return challenge.replace(/^Bearer realm="[^"]*"/, (bearer) => bearer + added.join(''));
}
