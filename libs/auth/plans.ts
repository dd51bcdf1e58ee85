import type { RateLimits } from './principal.js';

/** Requests that each plan allows in any 60 seconds. */
export const PLANS = {
  free: { read: 60, write: 30 },
  starter: { read: 600, write: 120 },
  business: { read: 6_000, write: 1_200 },
  enterprise: { read: 60_000, write: 12_000 },
} as const satisfies Record<string, RateLimits>;

export type Plan = keyof typeof PLANS;

/** Members that each plan has room for, null for any number. No document names them: these are generous for what a plan's rates serve. */
const SEATS = { free: 10, starter: 100, business: 10_000, enterprise: null } as const satisfies Record<
  Plan,
  number | null
>;

/** Seats of a plan; null for any number. */
export function seatsOf(plan: string): number | null {
  return SEATS[plan as Plan]; // the column takes no other
}

/**
 * What AI jobs of a tenant may cost in a month, in millionths of its currency's unit; null for any amount. No document names
 * it: a budget of the tenant's own can be lower.
 */
const AI_MONTHLY_MICROS = {
  free: 10_000_000,
  starter: 100_000_000,
  business: 1_000_000_000,
  enterprise: null,
} as const satisfies Record<Plan, number | null>;

/** What AI jobs may cost in a month on a plan, micros; null for any amount. */
export function monthlyAiMicrosOf(plan: string): number | null {
  return AI_MONTHLY_MICROS[plan as Plan]; // the column takes no other
}

export const PLAN_NAMES = Object.keys(PLANS) as Plan[];

/** Whether the text names a plan. */
export function isPlan(text: string): text is Plan {
  return Object.hasOwn(PLANS, text);
}
