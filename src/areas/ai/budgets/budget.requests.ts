import { PERIODS } from '#libs/ai/period.js';
import { flag, instant, oneOf } from '#libs/http/field.js';
import type { ShownObject } from '#libs/resource/types/governed-type.js';
import { filter, type ListOptions, listQuery } from '#libs/resource/lists/list-query.js';
import { pageOf } from '#libs/resource/types/record.dto.js';
import { type Budget, BUDGET_SCOPES, budgets, type BudgetScope, scopeId } from './budget.js';

export type ShownBudget = ShownObject<Budget>;
export type BudgetPatch = Partial<Pick<Budget, 'limitMicros' | 'softLimitMicros' | 'hardStop' | 'enabled'>>;
export type NewBudget = Pick<Budget, 'period' | 'limitMicros'> & BudgetPatch & { scope: BudgetScope };

export const budgetList: ListOptions = {
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

export const BudgetQuery = listQuery('BudgetQuery', budgetList);
export const BudgetPage = pageOf(budgets.view);
