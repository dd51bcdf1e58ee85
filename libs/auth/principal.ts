// `libs/auth` says who calls: the credential, and the principal behind it. `libs/access` says which rows it may see or change.
import type { TenantFacts } from '#libs/tenancy/scope.js';
import type { CredentialKind } from './api-key.js';
import type { Authority } from './authority.js';
import type { Delegation } from './delegation.js';
import type { Feature } from './features.js';
import type { MfaPolicy, SignInFacts } from './mfa-policy.js';
import type { Rights } from './reach.js';

/** Requests that a tenant may make in any 60 seconds, by class. */
export interface RateLimits {
  read: number;
  write: number;
}

/** The identity and rights behind a credential, as cached by one process. */
export interface Principal {
  credentialId: string;
  keyId: string;
  kind: CredentialKind;
  lineageId: string;
  name: string;
  /** Membership that the credential acts for; null for a service key. */
  membershipId: string | null;
  /** Who made the secret of a key that acts for nobody, see {@link personBehind}; null for other credentials. */
  makerId: string | null;
  /** Scopes of the credential. */
  scopes: readonly string[];
  permissions: Rights;
  authority: Authority;
  /** Addresses and networks that the credential may be used from; empty for any. */
  networks: readonly string[];
  /** Whether a key may carry out protected operations. */
  allowProtected: boolean;
  /** When the session's sign-in used a second factor, milliseconds since 1970; null if it did not, and for keys. */
  multiFactorAt: number | null;
  /** Sign-in of the session, or of the consent to delegated access; null for keys, which need no second factor. */
  signIn: (SignInFacts & { mfa: MfaPolicy }) | null;
  /** The partner that acts for the member; null if the member acts directly. */
  delegation: Delegation | null;
  /** Areas that the tenant has disabled. */
  switchedOff: ReadonlySet<Feature>;
  tenant: TenantFacts;
  limits: RateLimits;
  /** Limits of the key itself, within those of the tenant; null for none. */
  ownLimits: { [K in keyof RateLimits]: number | null };
}

/** The person behind the keys that the operator makes: one for all tenants. */
export const OPERATOR = '00000000-0000-7000-8000-0000000000ff';

/**
 * Identifies whose objects a credential sees and changes: those of the member that it acts for, or those of the key,
 * which keeps its lineage when rotated. Where a second person is required, {@link personBehind} decides.
 */
export function personOf({ membershipId, lineageId }: Pick<Principal, 'membershipId' | 'lineageId'>): string {
  return membershipId ?? lineageId;
}

/**
 * Identifies the person behind a credential: the member that it acts for, or who made its secret. A key that was made or
 * rotated with another key has the person behind that key.
 */
export function personBehind(principal: Pick<Principal, 'membershipId' | 'makerId' | 'lineageId'>): string {
  return principal.membershipId ?? principal.makerId ?? principal.lineageId;
}
