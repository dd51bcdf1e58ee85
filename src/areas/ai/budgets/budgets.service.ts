import { Injectable } from '@nestjs/common';
import { periodStart } from '#libs/ai/period.js';
import { Database } from '#libs/database/database.js';
import { breaksConstraint, brokenReference } from '#libs/database/failures.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { isUuid, uuidv7 } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import { toListRequest } from '#libs/resource/list-query.js';
import { checkPrecondition } from '#libs/resource/precondition.js';
import type { Deleted } from '#libs/resource/record.dto.js';
import { MEMBER, mustExist } from '#libs/resource/references.js';
import type { Page } from '#libs/resource/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { BudgetAlerts } from './budget-alerts.js';
import { BudgetPeriods } from './budget-periods.js';
import { BudgetRecords } from './budget-records.js';
import { BUDGET_TYPE, budgetList, type BudgetScope, type BudgetView, type CreateBudget, type UpdateBudget } from './budget.dto.js'; // prettier-ignore
import type { Budget } from './budget.entity.js';
import { BudgetsRepository } from './budgets.repository.js';

const SCOPE_ID = '/scope/id';
const MODEL_KEY = /^[^/\s]{1,100}\/\S{1,100}$/;
const TARGETS = {
  workspace: { table: 'data.workspaces', where: 'archived_at is null' },
  member: MEMBER,
  agent: { table: 'data.intelligence_agents' },
};

/** What may be spent on AI jobs. */
@Injectable()
export class BudgetsService {
  constructor(
    private readonly repository: BudgetsRepository,
    private readonly records: BudgetRecords,
    private readonly alerts: BudgetAlerts,
    private readonly periods: BudgetPeriods,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async list(query: Record<string, unknown>): Promise<Page<BudgetView>> {
    const { data, page } = await this.repository.page(toListRequest(budgetList, query), budgetList);
    return { data: await this.records.views(data), page };
  }

  /** @throws Problem 404. */
  async get(id: string): Promise<BudgetView> {
    return this.records.view(living(await this.repository.find(id)));
  }

  /** Spending counts for it from now on. @throws Problem 400, 409 `duplicate`. */
  async create(input: CreateBudget): Promise<BudgetView> {
    const { scope, period, limitMicros, softLimitMicros = null, hardStop = true, enabled = true } = input;
    refuseSoftAbove(softLimitMicros, limitMicros);
    return this.unit(async (transaction) => {
      const at = this.clock.now().toISOString();
      const row: Budget = {
        tenantId: currentTenant().id,
        id: uuidv7(),
        scopeType: scope.type,
        scopeId: await this.scopeIdOf(transaction, scope),
        period,
        limitMicros,
        softLimitMicros,
        hardStop,
        enabled,
        version: 1,
        createdAt: at,
        updatedAt: at,
        deletedAt: null,
      };
      const after = await this.records.view(row);
      this.records.record(transaction, 'created', { before: null, after, save: this.repository.insert(row) });
      return after;
    });
  }

  /**
   * Applies a merge patch; new limits hold for the period that runs, whatever is spent and held in it. One that changes
   * nothing leaves the version. @throws Problem 400, 404, 412.
   */
  async update(id: string, patch: UpdateBudget): Promise<BudgetView> {
    return this.unit(async (transaction) => {
      const row = await this.lock(transaction, id);
      const merged = { ...row, ...patch };
      refuseSoftAbove(merged.softLimitMicros, merged.limitMicros);
      const before = await this.records.view(row);
      if (Object.entries(patch).every(([field, value]) => row[field as keyof Budget] === value)) return before;
      const after = { ...merged, version: row.version + 1, updatedAt: this.clock.now().toISOString() };
      const shown = { ...before, ...(await this.records.view(after)) };
      this.records.record(transaction, 'updated', { before, after: shown, save: this.repository.replace(after) });
      const from = periodStart(row.period, await this.periods.today());
      transaction.write(this.repository.limit(after, from));
      await this.alerts.tell(transaction, await transaction.query(this.alerts.crossedByBudget(id, from)));
      return this.records.view(after);
    });
  }

  /** Nothing new counts for it; what it has counted stays in the ledger. @throws Problem 404, 412. */
  async remove(id: string): Promise<Deleted> {
    return this.unit(async (transaction) => {
      const row = await this.lock(transaction, id);
      const deletedAt = this.clock.now().toISOString();
      const view = await this.records.view(row);
      const gone = { ...row, version: row.version + 1, updatedAt: deletedAt, deletedAt };
      const after = { ...view, version: gone.version, updatedAt: deletedAt };
      this.records.record(transaction, 'deleted', { before: view, after, save: this.repository.replace(gone) });
      return { id, object: BUDGET_TYPE, deleted: true, deletedAt };
    });
  }

  private async lock(transaction: Transaction, id: string): Promise<Budget> {
    const row = living(await this.repository.lock(transaction, id));
    checkPrecondition(row.version);
    return row;
  }

  /** The id as it is stored; that it exists is checked with the write. @throws Problem 400. */
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

  private async unit<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    try {
      return await this.database.transaction(work);
    } catch (error) {
      if (brokenReference(error) !== null) throw unknownScope();
      if (!breaksConstraint(error, 'ai_budgets_scope_key')) throw error;
      throw new Problem('duplicate', 'Another budget is for the same scope and period.', {
        extensions: { field: 'scope' },
      });
    }
  }
}

/** @throws Problem 404 for a budget that does not exist or is deleted. */
function living(row: Budget | null): Budget {
  if (row?.deletedAt !== null) throw Problem.notFound();
  return row;
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
