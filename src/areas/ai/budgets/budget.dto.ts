import { PERIODS, type Period } from '#libs/ai/period.js';
import { constant, Field, flag, id, instant, integer, nested, oneOf, text } from '#libs/http/field.js';
import { filter, type ListOptions, listQuery } from '#libs/resource/list-query.js';
import { pageOf } from '#libs/resource/record.dto.js';
import { BUDGET_SCOPES, type BudgetScopeType } from './budget.entity.js';

/** Type key of a budget; also the beginning of its event types. */
export const BUDGET_TYPE = 'ai.budget';
/** Path of the budgets in the API. */
export const BUDGETS_PATH = '/api/ai/budgets';

/** Millionths of the tenant's currency unit. */
export const micros = (min = 0) => integer({ min, max: Number.MAX_SAFE_INTEGER });
const scopeId = () => text({ min: 1, max: 201, pattern: /^\S+$/, form: 'without white space' });
const LIMIT = 'What may be spent in a period, millionths of the tenant’s currency unit.';
const SOFT = 'Reaching it with what is spent raises `ai.budget.threshold_reached`, once per period.';
const HARD = 'Whether jobs are refused that have no room; otherwise the budget only tells.';
const ENABLED = 'Whether new jobs count for it.';

/** Whose spending a budget is about. */
export class BudgetScope {
  @Field(oneOf(BUDGET_SCOPES), {
    description: 'What is counted: all of the tenant, or a part of it.',
    example: 'agent',
  })
  type!: BudgetScopeType;

  @Field(scopeId(), {
    description:
      'Id of the workspace, the member, the API key or the agent; `provider/model` for a model; null for the tenant.',
    example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b80',
    nullable: true,
    optional: true,
  })
  id!: string | null;
}

export class CreateBudget {
  @Field(nested(BudgetScope), { description: 'Whose spending it is about. Cannot be changed later.' })
  scope!: BudgetScope;

  @Field(oneOf(PERIODS), {
    description: 'Days, weeks (from Monday) or months in the tenant’s time zone. Cannot be changed later.',
    example: 'month',
  })
  period!: Period;

  @Field(micros(), { description: LIMIT, example: 50_000_000 })
  limitMicros!: number;

  @Field(micros(1), { description: `At most the limit. ${SOFT}`, example: 40_000_000, optional: true, nullable: true })
  softLimitMicros?: number | null;

  @Field(flag(), { description: `${HARD} True if not given.`, example: true, optional: true })
  hardStop?: boolean;

  @Field(flag(), { description: `${ENABLED} True if not given.`, example: true, optional: true })
  enabled?: boolean;
}

export class UpdateBudget {
  @Field(micros(), {
    description: `${LIMIT} Holds for the period that runs, too.`,
    example: 80_000_000,
    optional: true,
  })
  limitMicros?: number;

  @Field(micros(1), { description: `At most the limit. ${SOFT}`, optional: true, nullable: true })
  softLimitMicros?: number | null;

  @Field(flag(), { description: HARD, optional: true })
  hardStop?: boolean;

  @Field(flag(), { description: ENABLED, optional: true })
  enabled?: boolean;
}

export class BudgetView {
  @Field(id(), { description: 'Id of the budget.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b90' })
  id!: string;

  @Field(constant(BUDGET_TYPE), { description: 'Type of the record.', example: BUDGET_TYPE })
  object!: string;

  @Field(nested(BudgetScope), { description: 'Whose spending it is about.' })
  scope!: BudgetScope;

  @Field(oneOf(PERIODS), { description: 'How often it begins anew.', example: 'month' })
  period!: Period;

  @Field(micros(), { description: LIMIT, example: 50_000_000 })
  limitMicros!: number;

  @Field(micros(), { description: SOFT, example: 40_000_000, nullable: true })
  softLimitMicros!: number | null;

  @Field(flag(), { description: HARD, example: true })
  hardStop!: boolean;

  @Field(flag(), { description: ENABLED, example: true })
  enabled!: boolean;

  @Field(micros(), { description: 'Spent in the period that runs, since the budget was made.', example: 12_400_000 })
  spentMicros!: number;

  @Field(micros(), {
    description: 'Held for jobs that are not over: what they can still cost at most.',
    example: 300_000,
  })
  reservedMicros!: number;

  @Field(micros(), { description: 'What new jobs have room for.', example: 37_300_000 })
  remainingMicros!: number;

  @Field(instant(), { description: 'When the next period begins.', example: '2026-12-01T00:00:00.000Z' })
  resetsAt!: string;

  @Field(instant(), { description: 'When the soft limit was reached in this period.', nullable: true })
  softLimitReachedAt!: string | null;

  @Field(instant(), { description: 'When it first refused a job in this period.', nullable: true })
  exhaustedAt!: string | null;

  @Field(integer({ min: 1, max: 2_147_483_647 }), { description: 'Rises with each change; also the ETag.', example: 1 })
  version!: number;

  @Field(instant(), { description: 'When it was made.' })
  createdAt!: string;

  @Field(instant(), { description: 'When it last changed.' })
  updatedAt!: string;
}

export const budgetList: ListOptions = {
  filters: {
    scopeType: filter.exact(oneOf(BUDGET_SCOPES)),
    scopeId: filter.exact(scopeId()),
    period: filter.exact(oneOf(PERIODS)),
    enabled: filter.exact({ ...flag() }),
    createdAt: filter.ordered(instant()),
  },
  sorts: ['createdAt'],
  defaultSort: 'createdAt',
};

export const BudgetQuery = listQuery('BudgetQuery', budgetList);
export const BudgetPage = pageOf(BudgetView);

export const BUDGET_EXAMPLE: BudgetView = {
  id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b90',
  object: BUDGET_TYPE,
  scope: { type: 'tenant', id: null },
  period: 'month',
  limitMicros: 50_000_000,
  softLimitMicros: 40_000_000,
  hardStop: true,
  enabled: true,
  spentMicros: 12_400_000,
  reservedMicros: 300_000,
  remainingMicros: 37_300_000,
  resetsAt: '2026-12-01T00:00:00.000Z',
  softLimitReachedAt: null,
  exhaustedAt: null,
  version: 1,
  createdAt: '2026-11-21T09:15:02.114Z',
  updatedAt: '2026-11-21T09:15:02.114Z',
};
