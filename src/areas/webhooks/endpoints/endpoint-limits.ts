import type { Plan } from '#libs/auth/plans.js';

/** Maximum number of webhook endpoints per tenant, without deleted ones. */
const ENDPOINTS = { free: 3, starter: 10, business: 50, enterprise: 500 } as const satisfies Record<Plan, number>;

/** The limit of a plan. */
export function endpointLimit(plan: string): number {
  return ENDPOINTS[plan as Plan]; // the column takes no other
}
