import type { RateLimits } from './principal.js';

/** Requests that each plan allows in any 60 seconds. `Source:` interface document "Limits", contract sections 6 and 10. */
export const PLANS = {
  free: { read: 60, write: 30 },
  starter: { read: 600, write: 120 },
  business: { read: 6_000, write: 1_200 },
  enterprise: { read: 60_000, write: 12_000 },
} as const satisfies Record<string, RateLimits>;

export type Plan = keyof typeof PLANS;

export const PLAN_NAMES = Object.keys(PLANS) as Plan[];

/** Whether the text names a plan. */
export function isPlan(text: string): text is Plan {
  return Object.hasOwn(PLANS, text);
}
