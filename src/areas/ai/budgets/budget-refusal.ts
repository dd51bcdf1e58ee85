import type { Period } from '#libs/ai/period.js';
import { refusingAccount } from '#libs/database/failures.js';
import type { BudgetScopeType } from './budget.js';

/** An account in one period: its limit and what is spent. */
export interface AccountState {
  /** The plan's limit, an agent's daily limit, or a budget. */
  kind: 'plan' | 'agent' | 'budget';
  /** Id of the tenant, agent or budget. */
  subjectId: string;
  /** Scope type of a budget; null for the other kinds. */
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

/** An account whose limit the job would exceed. */
export interface Refusal extends AccountState {
  limitMicros: number;
  /** Whether a rejection in this period has been reported. */
  isKnown: boolean;
}

/** The rejection in an error of `data.ai_reserve`; null for any other error. */
export function refusalOf(error: unknown): Refusal | null {
  const account = refusingAccount(error);
  return account === null ? null : (JSON.parse(account) as Refusal); // as the function writes it
}

/** Remaining amount of a period. */
export function remainingOf({ limitMicros, heldMicros, spentMicros }: AccountState): number | null {
  return limitMicros === null ? null : Math.max(0, limitMicros - heldMicros - spentMicros);
}
