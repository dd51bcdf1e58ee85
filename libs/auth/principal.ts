import type { TenantFacts } from '#libs/tenancy/scope.js';
import type { CredentialKind } from './api-key.js';
import type { Authority } from './authority.js';
import type { Feature } from './features.js';
import type { MfaPolicy, SignInFacts } from './mfa-policy.js';
import type { Rights } from './reach.js';

/** Requests that a tenant may make in any 60 seconds, by class. */
export interface RateLimits {
  read: number;
  write: number;
}

/** Who a credential stands for, as far as one process remembers it. */
export interface Principal {
  credentialId: string;
  keyId: string;
  kind: CredentialKind;
  lineageId: string;
  name: string;
  /** Membership that the credential acts for; null for a service key. */
  membershipId: string | null;
  /** What the credential was made with. */
  scopes: readonly string[];
  permissions: Rights;
  authority: Authority;
  /** Whether a key may take protected operations. */
  allowProtected: boolean;
  /** When a session last saw a second factor, milliseconds since 1970; null for never, and for keys. */
  multiFactorAt: number | null;
  /** Null for keys, which are not asked for factors. */
  signIn: (SignInFacts & { mfa: MfaPolicy }) | null;
  /** Areas that the tenant has switched off. */
  switchedOff: ReadonlySet<Feature>;
  tenant: TenantFacts;
  limits: RateLimits;
}

/** What tells people apart: the member that a credential acts for, or what a key keeps when it is rotated. */
export function personOf({ membershipId, lineageId }: Pick<Principal, 'membershipId' | 'lineageId'>): string {
  return membershipId ?? lineageId;
}
