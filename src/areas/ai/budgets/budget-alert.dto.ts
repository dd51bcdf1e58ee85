import { PERIODS, type Period } from '#libs/ai/period.js';
import { civilDate, Field, id, instant, nested, oneOf, text } from '#libs/http/field.js';
import { BUDGET_SCOPES, budgets, micros } from './budget.js';

/** The scope whose spending has reached a limit. */
export class AlertScope {
  @Field(oneOf([...BUDGET_SCOPES, 'plan']), { description: 'Scope of the budget; `plan` for the limit of the plan.' })
  type!: string;

  @Field(text({ max: 201 }), {
    description: 'Id, or `provider/model`; null for the tenant and its plan.',
    nullable: true,
  })
  id!: string | null;
}

/** Payload of the events about budgets. */
export class BudgetAlertFacts {
  @Field(id(), { description: 'The budget; null for the plan’s limit and an agent’s own.', nullable: true })
  budgetId!: string | null;

  @Field(nested(AlertScope), { description: 'Spending that came to a limit.' })
  scope!: AlertScope;

  @Field(oneOf(PERIODS), { description: 'Length of a period.' })
  period!: Period;

  @Field(civilDate(), { description: 'First day of the period.' })
  periodStart!: string;

  @Field(micros(), { description: 'The limit.' })
  limitMicros!: number;

  @Field(micros(), { description: 'The soft limit.', nullable: true })
  softLimitMicros!: number | null;

  @Field(micros(), { description: 'Spent in the period.' })
  spentMicros!: number;

  @Field(micros(), { description: 'Held for jobs that are not over.' })
  reservedMicros!: number;

  @Field(micros(), { description: 'Room that is left for new jobs.' })
  remainingMicros!: number;

  @Field(instant(), { description: 'Start of the next period.' })
  resetsAt!: string;
}

export const ALERT_EXAMPLE = {
  budgetId: String(budgets.example['id']),
  scope: { type: 'tenant', id: null },
  period: 'month',
  periodStart: '2026-11-01',
  limitMicros: 50_000_000,
  softLimitMicros: 40_000_000,
  spentMicros: 40_100_000,
  reservedMicros: 300_000,
  remainingMicros: 9_600_000,
  resetsAt: '2026-12-01T00:00:00.000Z',
} satisfies BudgetAlertFacts;
