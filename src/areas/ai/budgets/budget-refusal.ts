import type { Period } from '#libs/ai/period.js';
import { refusingAccount } from '#libs/database/failures.js';
import type { BudgetScopeType } from './budget.js';

/** An account of a period: what may be spent, and what is. */
export interface AccountState {
  /** The plan's limit, an agent's own limit for a day, or a budget. */
  kind: 'plan' | 'agent' | 'budget';
  /** The tenant, the agent, the budget. */
  subjectId: string;
  /** Of the budget; null for the other kinds. */
  scopeType: BudgetScopeType | null;
  scopeId: string | null;
  period: Period;
  /** First day, in the tenant's calendar. */
  periodStart: string;
  limitMicros: number | null;
  softLimitMicros: number | null;
  heldMicros: number;
  spentMicros: number;
}

/** An account that has no room for a job. */
export interface Refusal extends AccountState {
  limitMicros: number;
  /** Whether a refusal in this period has been reported. */
  isKnown: boolean;
}

/** The refusal in an error of `data.ai_reserve`; null for any other error. */
export function refusalOf(error: unknown): Refusal | null {
  const account = refusingAccount(error);
  return account === null ? null : (JSON.parse(account) as Refusal); // as the function writes it
}

/** What a period has left. */
export function remainingOf({ limitMicros, heldMicros, spentMicros }: AccountState): number | null {
  return limitMicros === null ? null : Math.max(0, limitMicros - heldMicros - spentMicros);
}
