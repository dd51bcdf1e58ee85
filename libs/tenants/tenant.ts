import type { Plan } from '#libs/auth/plans.js';

/** Type key of tenants; also the beginning of their event types. */
export const TENANT_TYPE = 'core.tenant';
/** Path in the API of the tenant that the caller belongs to. */
export const TENANT_PATH = '/api/settings/tenant';

/** `closing` works as `active` does, until its time comes. */
export const TENANT_STATUSES = ['active', 'suspended', 'closing', 'closed'] as const;
export type TenantStatus = (typeof TENANT_STATUSES)[number];

/** A tenant as the directory tells it to itself. */
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
  /** When it ends; null unless it is closing, or has ended. */
  closesAt: string | null;
  closedAt: string | null;
  version: number;
  createdAt: string;
  updatedAt: string;
}

/** Whether it is served, and how long. A suspended tenant may be closing too. */
export function statusOf({ suspendedAt, closesAt, closedAt }: Tenant): TenantStatus {
  if (closedAt !== null) return 'closed';
  if (suspendedAt !== null) return 'suspended';
  return closesAt === null ? 'active' : 'closing';
}
