import type { ShownObject } from '#libs/resource/types/governed-type.js';
import { listQuery } from '#libs/resource/lists/list-query.js';
import { type Budget, budgets, type BudgetScope } from './budget.js';

export type ShownBudget = ShownObject<Budget>;
export type BudgetPatch = Partial<Pick<Budget, 'limitMicros' | 'softLimitMicros' | 'hardStop' | 'enabled'>>;
export type NewBudget = Pick<Budget, 'period' | 'limitMicros'> & BudgetPatch & { scope: BudgetScope };

export const BudgetQuery = listQuery('BudgetQuery', budgets.list!);
