import type { TenantFacts } from '#libs/tenancy/scope.js';
import type { CredentialKind } from './api-key.js';
import type { PermissionSet } from './permissions.js';

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
  permissions: PermissionSet;
  tenant: TenantFacts;
  limits: RateLimits;
}
