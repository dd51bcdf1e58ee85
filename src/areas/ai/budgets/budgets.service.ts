import { Injectable } from '@nestjs/common';
import { periodStart } from '#libs/ai/period.js';
import type { Transaction } from '#libs/database/transaction.js';
import { isUuid } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { MEMBER, mustExist } from '#libs/resource/access/references.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { BudgetAlerts } from './budget-alerts.js';
import { BudgetPeriods } from './budget-periods.js';
import { type Budget, budgets, type BudgetScope } from './budget.js';
import type { BudgetPatch, NewBudget, ShownBudget } from './budget.requests.js';
import { type BudgetState, BudgetsRepository } from './budgets.repository.js';

const SCOPE_ID = '/scope/id';
const MODEL_KEY = /^[^/\s]{1,100}\/\S{1,100}$/;
const TARGETS = {
  workspace: { table: 'data.workspaces', where: 'archived_at is null' },
  member: MEMBER,
  agent: { table: 'data.intelligence_agents' },
};
const NOTHING: BudgetState = { spentMicros: 0, reservedMicros: 0, softLimitReachedAt: null, exhaustedAt: null };

/** Limits on the spending of AI jobs. */
@Injectable()
export class BudgetsService {
  readonly constraints = {
    ai_budgets_scope_key: () =>
      new Problem('duplicate', 'Another budget is for the same scope and period.', { extensions: { field: 'scope' } }),
  };
  readonly objects: GovernedObjects<Budget>;

  constructor(
    kit: ResourceKit,
    private readonly repository: BudgetsRepository,
    private readonly alerts: BudgetAlerts,
    private readonly periods: BudgetPeriods,
  ) {
    this.objects = new GovernedObjects(budgets, kit, this, repository);
  }

  /** Spending counts towards the budget from now on. @throws Problem 400, 409 `duplicate`. */
  async create(input: NewBudget): Promise<ShownBudget> {
    const { scope, period, limitMicros, softLimitMicros = null, hardStop = true, enabled = true } = input;
    refuseSoftAbove(softLimitMicros, limitMicros);
    return this.objects.create(async (transaction) => {
      const place = { scopeType: scope.type, scopeId: await this.scopeIdOf(transaction, scope), period };
      const own = { ...place, limitMicros, softLimitMicros, hardStop, enabled, deletedAt: null };
      return { ...own, ...(await this.figuresOf(own, NOTHING, await this.periods.today())) };
    });
  }

  /**
   * Applies a merge patch. New limits apply to the current period, whatever is already spent or reserved. A patch that
   * changes nothing keeps the version.
   * @throws Problem 400, 404, 412.
   */
  update(id: string, patch: BudgetPatch): Promise<ShownBudget> {
    const decide = (before: Budget) => {
      const merged = { ...before, ...patch };
      refuseSoftAbove(merged.softLimitMicros, merged.limitMicros);
      return { ...patch, remainingMicros: remainingOf(merged) };
    };
    return this.objects.update(id, decide, {
      saved: async (transaction, after, before) => {
        if (after === before) return;
        const from = periodStart(after.period, await this.periods.today());
        transaction.write(this.repository.limit(after, from));
        await this.alerts.tell(transaction, await transaction.query(this.alerts.crossedByBudget(id, from)));
      },
    });
  }

  /** Budgets as the API shows them. */
  async show(rows: readonly Budget[]): Promise<ShownBudget[]> {
    if (rows.length === 0) return [];
    const today = await this.periods.today();
    const states = await this.repository.states(
      rows.map(({ id, period }) => ({ id, starts: periodStart(period, today) })),
    );
    return Promise.all(
      rows.map(async (row) => ({
        ...this.objects.view(row),
        ...(await this.figuresOf(row, states.get(row.id) ?? NOTHING, today)),
      })),
    );
  }

  derive(row: Budget): Promise<ShownBudget> {
    return this.objects.show(row);
  }

  /** The fields of a budget that are not columns. */
  private async figuresOf(
    row: Pick<Budget, 'scopeType' | 'scopeId' | 'period' | 'limitMicros'>,
    state: BudgetState,
    today: string,
  ) {
    const { scopeType: type, scopeId, period, limitMicros } = row;
    return {
      ...state,
      scope: { type, id: scopeId === '' ? null : scopeId },
      name: [period, type, scopeId].filter(Boolean).join(' '),
      remainingMicros: remainingOf({ limitMicros, ...state }),
      resetsAt: await this.periods.endOf(period, today),
    };
  }

  /** The id as stored. The write checks that it exists. @throws Problem 400. */
  private async scopeIdOf(transaction: Transaction, { type, id = null }: BudgetScope): Promise<string> {
    if (type === 'tenant') {
      if (id !== null) throw refusal('invalid_value', 'A budget of the tenant names no id.');
      return '';
    }
    if (id === null) throw refusal('required', 'The field is required for this type.');
    if (type === 'model') {
      if (!MODEL_KEY.test(id)) throw refusal('invalid_format', 'The value must be of the form provider/model.');
      return id;
    }
    if (!isUuid(id)) throw refusal('invalid_id', 'The value must be an id.');
    if (type === 'api_key') return (await this.repository.keyLineage(id)) ?? fail();
    transaction.write(mustExist(TARGETS[type], SCOPE_ID, [id]));
    return id.toLowerCase();
  }
}

function remainingOf({ limitMicros, spentMicros = 0, reservedMicros = 0 }: Partial<Budget> & { limitMicros: number }) {
  return Math.max(0, limitMicros - spentMicros - reservedMicros);
}

function refuseSoftAbove(soft: number | null, limit: number): void {
  if (soft !== null && soft > limit)
    throw Problem.validation([
      { pointer: '/softLimitMicros', code: 'too_large', detail: 'The soft limit must not be above the limit.' },
    ]);
}

function refusal(code: string, detail: string): Problem {
  return Problem.validation([{ pointer: SCOPE_ID, code, detail }]);
}

function unknownScope(): Problem {
  return refusal('unknown_reference', 'There is no such record.');
}

function fail(): never {
  throw unknownScope();
}
