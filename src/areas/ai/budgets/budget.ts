import { Column } from 'typeorm';
import { PERIODS, type Period } from '#libs/ai/period.js';
import { VersionedRow } from '#libs/database/tenant-row.js';
import { Field, flag, instant, integer, nested, oneOf, text } from '#libs/http/field.js';
import { filter } from '#libs/resource/lists/list-query.js';
import { Attribute, Derived, Mapped } from '#libs/resource/types/attribute.js';
import { governedType } from '#libs/resource/types/governed-type.js';

/** What a budget can apply to. */
export const BUDGET_SCOPES = ['tenant', 'workspace', 'member', 'api_key', 'agent', 'model'] as const;
export type BudgetScopeType = (typeof BUDGET_SCOPES)[number];

/** Millionths of the tenant's currency unit. */
export const micros = (min = 0) => integer({ min, max: Number.MAX_SAFE_INTEGER });
const scopeId = () => text({ min: 1, max: 201, pattern: /^\S+$/, form: 'without white space' });

/** What a budget applies to. */
export class BudgetScope {
  @Field(oneOf(BUDGET_SCOPES), {
    description: 'Spending that is counted: all of the tenant, or a part of it.',
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

/** A limit on the spending of AI jobs in each period. */
export class Budget extends VersionedRow {
  @Mapped(nested(BudgetScope), 'Spending that the budget limits. Cannot be changed later.', {
    example: { type: 'tenant', id: null },
    once: true,
  })
  scope?: BudgetScope;

  @Column('text', { name: 'scope_type' })
  scopeType!: BudgetScopeType;

  /** Empty for the tenant, `provider/model` for a model, an id otherwise. */
  @Column('text', { name: 'scope_id' })
  scopeId!: string;

  @Attribute(
    oneOf(PERIODS),
    'Length of a period: days, weeks (from Monday) or months in the tenant’s time zone. Cannot be changed later.',
    { example: 'month', once: true },
  )
  period!: Period;

  @Attribute(
    micros(),
    'Limit for a period, in millionths of the tenant’s currency unit. A new limit also applies to the current period.',
    { example: 50_000_000 },
  )
  limitMicros!: number;

  @Attribute(
    micros(),
    'Soft limit, at most the limit. Spending that reaches it raises `ai.budget.threshold_reached`, once per period.',
    { example: 40_000_000, nullable: true, given: micros(1) },
  )
  softLimitMicros!: number | null;

  @Attribute(
    flag(),
    'If true (default), jobs that exceed the budget are rejected; if false, exceeding it only raises an alert.',
    { example: true, default: true },
  )
  hardStop!: boolean;

  @Attribute(flag(), 'Set to false to leave new jobs out of the budget. True by default.', {
    example: true,
    default: true,
  })
  enabled!: boolean;

  @Derived(micros(), 'Spent in the current period, since the budget was made.', { example: 12_400_000 })
  spentMicros?: number;

  @Derived(micros(), 'Held for jobs that are not over: the most that they can still cost.', { example: 300_000 })
  reservedMicros?: number;

  @Derived(micros(), 'Room that is left for new jobs.', { example: 37_300_000 })
  remainingMicros?: number;

  @Derived(instant(), 'Start of the next period.', { example: '2026-12-01T00:00:00.000Z' })
  resetsAt?: string;

  @Derived(instant(), 'Time at which the soft limit was reached in this period.', { nullable: true })
  softLimitReachedAt?: string | null;

  @Derived(instant(), 'Time at which it first refused a job in this period.', { nullable: true })
  exhaustedAt?: string | null;

  @Column('timestamptz', { name: 'deleted_at', nullable: true })
  deletedAt!: string | null;

  /** Name in the audit log; not a column. */
  name?: string;
}

const list = {
  filters: {
    scopeType: filter.exact(oneOf(BUDGET_SCOPES)),
    scopeId: filter.exact(scopeId()),
    period: filter.exact(oneOf(PERIODS)),
    enabled: filter.exact(flag()),
    createdAt: filter.ordered(instant()),
  },
  sorts: ['createdAt'],
  defaultSort: 'createdAt',
};

export const budgets = governedType(Budget, {
  type: 'ai.budget',
  noun: 'budget',
  table: 'data.ai_budgets',
  path: '/api/ai/budgets',
  risk: 'medium',
  keepsDeleted: true,
  list,
  events: {
    created: 'A budget for AI jobs was made.',
    updated: 'A budget for AI jobs changed.',
    deleted: 'A budget for AI jobs was deleted.',
  },
});
