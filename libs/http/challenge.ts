import type { FastifyRequest } from 'fastify';
import type { Principal } from '#libs/auth/principal.js';
import { bearerOf } from '#libs/auth/strategies.js';
import type { Problem } from '#libs/kernel/problem.js';

/** The challenge of a 401. */
export const CHALLENGE = 'Bearer realm="platform", ApiKey realm="platform", header="x-api-key"';

/** The challenge to a request whose bearer token, if it brought one, is not valid. `Source:` RFC 6750 section 3. */
export function challengeOf({ headers, dialect }: Pick<FastifyRequest, 'headers' | 'dialect'>): string {
  const challenge = dialect?.challenge ?? CHALLENGE;
  return bearerOf(headers.authorization) === null ? challenge : withError(challenge, { error: 'invalid_token' });
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
  const maxAge = code === 'step_up_required' ? { max_age: String(signIn.mfa.stepUpMaxAgeMinutes * 60) } : {};
  return withError(CHALLENGE, { error: 'insufficient_user_authentication', ...maxAge });
}

/** Adds parameters to the first part of a challenge, which is that of bearer tokens. */
function withError(challenge: string, parameters: Record<string, string>): string {
  const added = Object.entries(parameters).map(([name, value]) => `, ${name}="${value}"`);
  return challenge.replace(/^Bearer realm="[^"]*"/, (bearer) => bearer + added.join(''));
}
