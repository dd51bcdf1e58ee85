import type { Plan } from '#libs/auth/plans.js';

/** Type key of tenants; also the prefix of their event types. */
export const TENANT_TYPE = 'core.tenant';
/** API path of the caller's tenant. */
export const TENANT_PATH = '/api/settings/tenant';

/** A `closing` tenant works like an `active` one until it is closed. */
export const TENANT_STATUSES = ['active', 'suspended', 'closing', 'closed'] as const;
export type TenantStatus = (typeof TENANT_STATUSES)[number];

/** A tenant as read within its own scope. */
export interface Tenant {
  id: string;
  slug: string;
  name: string;
  plan: Plan;
  /** ISO 4217 code. */
  currency: string;
  readsPerMinute: number;
  writesPerMinute: number;
  /** Null unless it is suspended. */
  suspendedAt: string | null;
  suspensionReason: string | null;
  /** When it closes or was closed; null otherwise. */
  closesAt: string | null;
  closedAt: string | null;
  version: number;
  createdAt: string;
  updatedAt: string;
}

/** The status of a tenant. A suspended tenant may also be closing. */
export function statusOf({ suspendedAt, closesAt, closedAt }: Tenant): TenantStatus {
  if (closedAt !== null) return 'closed';
  if (suspendedAt !== null) return 'suspended';
  return closesAt === null ? 'active' : 'closing';
}
