import { PERIODS, type Period } from '#libs/ai/period.js';
import { civilDate, Field, id, instant, nested, oneOf, text } from '#libs/http/field.js';
import { BUDGET_SCOPES } from './budget.entity.js';
import { BUDGET_EXAMPLE, micros } from './budget.dto.js';

/** Whose spending has come to a limit. */
export class AlertScope {
  @Field(oneOf([...BUDGET_SCOPES, 'plan']), { description: 'Scope of the budget; `plan` for the limit of the plan.' })
  type!: string;

  @Field(text({ max: 201 }), {
    description: 'Id, or `provider/model`; null for the tenant and its plan.',
    nullable: true,
  })
  id!: string | null;
}

/** What the events about budgets say. */
export class BudgetAlertFacts {
  @Field(id(), { description: 'The budget; null for the plan’s limit and an agent’s own.', nullable: true })
  budgetId!: string | null;

  @Field(nested(AlertScope), { description: 'Whose spending it is about.' })
  scope!: AlertScope;

  @Field(oneOf(PERIODS), { description: 'How often it begins anew.' })
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

  @Field(micros(), { description: 'What new jobs have room for.' })
  remainingMicros!: number;

  @Field(instant(), { description: 'When the next period begins.' })
  resetsAt!: string;
}

const { id: budgetId, scope, period, limitMicros, softLimitMicros, resetsAt } = BUDGET_EXAMPLE;

export const ALERT_EXAMPLE: BudgetAlertFacts = {
  budgetId,
  scope,
  period,
  periodStart: '2026-11-01',
  limitMicros,
  softLimitMicros,
  spentMicros: 40_100_000,
  reservedMicros: 300_000,
  remainingMicros: 9_600_000,
  resetsAt,
};
