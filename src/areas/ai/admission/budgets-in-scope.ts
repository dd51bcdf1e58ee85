import { Injectable } from '@nestjs/common';
import { toListRequest } from '#libs/resource/list-query.js';
import { BudgetRecords } from '../budgets/budget-records.js';
import { type BudgetView, budgetList } from '../budgets/budget.dto.js';
import { BudgetsRepository } from '../budgets/budgets.repository.js';
import type { SpendingScope } from '../budgets/spending.js';

/** The budgets that a job would count for. */
@Injectable()
export class BudgetsInScope {
  constructor(
    private readonly repository: BudgetsRepository,
    private readonly records: BudgetRecords,
  ) {}

  async of({ provider, model, workspaceId, memberId, apiKeyId, agentId }: SpendingScope): Promise<BudgetView[]> {
    const scopes: [type: string, id: string | null][] = [
      ['tenant', ''],
      ['workspace', workspaceId],
      ['member', memberId],
      ['api_key', apiKeyId],
      ['agent', agentId],
      ['model', `${provider}/${model}`],
    ];
    const named = scopes.filter(([, id]) => id !== null);
    const pages = await Promise.all(
      named.map(([scopeType, scopeId]) =>
        this.repository.page(toListRequest(budgetList, { scopeType, scopeId, enabled: true }), budgetList),
      ),
    );
    return this.records.views(pages.flatMap(({ data }) => data));
  }
}
