import type { RateLimits } from './principal.js';

/** Requests allowed per plan in any 60 seconds. */
export const PLANS = {
  free: { read: 60, write: 30 },
  starter: { read: 600, write: 120 },
  business: { read: 6_000, write: 1_200 },
  enterprise: { read: 60_000, write: 12_000 },
} as const satisfies Record<string, RateLimits>;

export type Plan = keyof typeof PLANS;

/** Seats per plan; null for unlimited. Generous for the rate limits of each plan. */
const SEATS = { free: 10, starter: 100, business: 10_000, enterprise: null } as const satisfies Record<
  Plan,
  number | null
>;

/** Seats of a plan; null for unlimited. */
export function seatsOf(plan: string): number | null {
  return SEATS[plan as Plan]; // the column allows no other value
}

/**
 * Monthly spending limit for AI jobs per plan, in millionths of the currency unit; null for unlimited. A tenant can set
 * a lower budget.
 */
const AI_MONTHLY_MICROS = {
  free: 10_000_000,
  starter: 100_000_000,
  business: 1_000_000_000,
  enterprise: null,
} as const satisfies Record<Plan, number | null>;

/** Monthly spending limit for AI jobs of a plan, in micros; null for unlimited. */
export function monthlyAiMicrosOf(plan: string): number | null {
  return AI_MONTHLY_MICROS[plan as Plan]; // the column allows no other value
}

/** Bytes of files, in all their versions, per plan; null for unlimited. */
const FILE_BYTES = {
  free: 1_073_741_824,
  starter: 10_737_418_240,
  business: 1_099_511_627_776,
  enterprise: null,
} as const satisfies Record<Plan, number | null>;

/** Bytes of files that a plan has room for; null for unlimited. */
export function fileBytesOf(plan: string): number | null {
  return FILE_BYTES[plan as Plan]; // the column allows no other value
}

export const PLAN_NAMES = Object.keys(PLANS) as Plan[];

/** Whether the text names a plan. */
export function isPlan(text: string): text is Plan {
  return Object.hasOwn(PLANS, text);
}
