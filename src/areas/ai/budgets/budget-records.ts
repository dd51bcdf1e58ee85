import { Injectable, type OnModuleInit } from '@nestjs/common';
import { periodStart } from '#libs/ai/period.js';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { inlineSchemaOf } from '#libs/http/schema.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { Commits } from '#libs/resource/commits.js';
import { BudgetPeriods } from './budget-periods.js';
import { BUDGET_EXAMPLE, BUDGET_TYPE, BUDGETS_PATH, BudgetView } from './budget.dto.js';
import type { Budget } from './budget.entity.js';
import { type BudgetState, BudgetsRepository } from './budgets.repository.js';

const EVENTS = {
  created: 'A budget for AI jobs was made.',
  updated: 'A budget for AI jobs changed.',
  deleted: 'A budget for AI jobs was deleted.',
};
const NOTHING: BudgetState = { spentMicros: 0, reservedMicros: 0, softLimitReachedAt: null, exhaustedAt: null };

/** Budgets as the API shows them, and their changes with audit entry and event. */
@Injectable()
export class BudgetRecords implements OnModuleInit {
  constructor(
    private readonly repository: BudgetsRepository,
    private readonly commits: Commits,
    private readonly events: EventCatalogue,
    private readonly periods: BudgetPeriods,
  ) {}

  onModuleInit(): void {
    const data = inlineSchemaOf(BudgetView);
    for (const [verb, description] of Object.entries(EVENTS))
      this.events.add({
        type: `${BUDGET_TYPE}.${verb}`,
        version: 1,
        description,
        data,
        example: { ...BUDGET_EXAMPLE },
        subjectType: BUDGET_TYPE,
        exampleUrl: `${BUDGETS_PATH}/${BUDGET_EXAMPLE.id}`,
      });
  }

  async views(budgets: readonly Budget[]): Promise<BudgetView[]> {
    if (budgets.length === 0) return [];
    const today = await this.periods.today();
    const states = await this.repository.states(
      budgets.map(({ id, period }) => ({ id, starts: periodStart(period, today) })),
    );
    return Promise.all(budgets.map((budget) => this.show(budget, states.get(budget.id) ?? NOTHING, today)));
  }

  async view(budget: Budget): Promise<BudgetView> {
    const [view] = await this.views([budget]);
    return view!;
  }

  record(
    transaction: Transaction,
    verb: keyof typeof EVENTS,
    change: { before: BudgetView | null; after: BudgetView; save: Statement },
  ): void {
    const { before, after, save } = change;
    const { id, version, scope, period, updatedAt: at } = after;
    const name = [period, scope.type, scope.id].filter(Boolean).join(' ');
    this.commits.add(transaction, {
      save,
      event: `${BUDGET_TYPE}.${verb}`,
      subject: { type: BUDGET_TYPE, id, reference: null, version, url: `${BUDGETS_PATH}/${id}`, name },
      before,
      after,
      at,
      riskLevel: 'medium',
    });
  }

  private async show(budget: Budget, state: BudgetState, today: string): Promise<BudgetView> {
    const { tenantId: _tenant, scopeType, scopeId, deletedAt: _deleted, ...row } = budget;
    return {
      ...row,
      ...state,
      object: BUDGET_TYPE,
      scope: { type: scopeType, id: scopeId === '' ? null : scopeId },
      remainingMicros: Math.max(0, row.limitMicros - state.spentMicros - state.reservedMicros),
      resetsAt: await this.periods.endOf(row.period, today),
    };
  }
}
