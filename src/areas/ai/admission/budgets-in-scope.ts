import { Injectable } from '@nestjs/common';
import { BudgetsService } from '../budgets/budgets.service.js';
import type { Budget } from '../budgets/budget.js';
import type { ShownBudget } from '../budgets/budget.requests.js';
import type { SpendingScope } from '../budgets/spending.js';

/** The budgets that apply to a job. */
@Injectable()
export class BudgetsInScope {
  constructor(private readonly budgets: BudgetsService) {}

  async of({ provider, model, workspaceId, memberId, apiKeyId, agentId }: SpendingScope): Promise<ShownBudget[]> {
    const scopes: [type: string, id: string | null][] = [
      ['tenant', ''],
      ['workspace', workspaceId],
      ['member', memberId],
      ['api_key', apiKeyId],
      ['agent', agentId],
      ['model', `${provider}/${model}`],
    ];
    const named = scopes.filter((scope): scope is [string, string] => scope[1] !== null);
    const [types, ids] = [named.map(([type]) => type), named.map(([, id]) => id)];
    const rows = await this.budgets.objects.rows.all(
      (add) => `t.deleted_at is null and t.enabled and (t.scope_type, t.scope_id) in
        (select s.type, s.id from unnest(${add(types)}::text[], ${add(ids)}::text[]) s (type, id))`,
    );
    const order = ({ scopeType }: Budget) => types.indexOf(scopeType);
    return this.budgets.show(rows.sort((a, b) => order(a) - order(b)));
  }
}
