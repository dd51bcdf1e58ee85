import { Injectable } from '@nestjs/common';
import { toListRequest } from '#libs/resource/lists/list-query.js';
import { BudgetsService } from '../budgets/budgets.service.js';
import { budgetList, type ShownBudget } from '../budgets/budget.requests.js';
import { BudgetsRepository } from '../budgets/budgets.repository.js';
import type { SpendingScope } from '../budgets/spending.js';

/** The budgets that apply to a job. */
@Injectable()
export class BudgetsInScope {
  constructor(
    private readonly repository: BudgetsRepository,
    private readonly budgets: BudgetsService,
  ) {}

  async of({ provider, model, workspaceId, memberId, apiKeyId, agentId }: SpendingScope): Promise<ShownBudget[]> {
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
    return this.budgets.show(pages.flatMap(({ data }) => data));
  }
}
