import type { Plan } from '#libs/auth/plans.js';

/** Type key of tenants; also the beginning of their event types. */
export const TENANT_TYPE = 'core.tenant';
/** Path in the API of the tenant that the caller belongs to. */
export const TENANT_PATH = '/api/settings/tenant';

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
  version: number;
  createdAt: string;
  updatedAt: string;
}
