import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { Budget } from './budget.js';

const STATES = `
  select a.subject_id as id, a.spent_micros as "spentMicros", a.held_micros as "reservedMicros",
    a.soft_reached_at as "softLimitReachedAt", a.exhausted_at as "exhaustedAt"
  from unnest($2::uuid[], $3::date[]) as wanted (id, starts)
    join data.ai_accounts a on a.tenant_id = $1 and a.kind = 'budget' and a.subject_id = wanted.id
      and a.period_start = wanted.starts`;
const LIMIT = `select data.ai_limit($1, $2, $3, $4, $5, $6)`;
const LINEAGE = `select directory.api_key_lineage($1) as id`;

/** Spent and reserved amounts of a period. */
export interface BudgetState {
  spentMicros: number;
  reservedMicros: number;
  softLimitReachedAt: string | null;
  exhaustedAt: string | null;
}

@Injectable()
export class BudgetsRepository extends ResourceRepository<Budget> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Budget);
  }

  /** The state of each budget in the period that begins on a day; budgets without reservations are missing. */
  async states(budgets: readonly { id: string; starts: string }[]): Promise<Map<string, BudgetState>> {
    const values = [currentTenant().id, budgets.map(({ id }) => id), budgets.map(({ starts }) => starts)];
    const rows = await this.database.read<BudgetState & { id: string }>(statement(STATES, values));
    return new Map(rows.map(({ id, ...state }) => [id, state]));
  }

  /** Statement that applies new limits to the accounts of a budget, starting with a period. */
  limit({ id, limitMicros, softLimitMicros, hardStop, updatedAt }: Budget, fromDay: string): Statement {
    return statement(LIMIT, [id, fromDay, limitMicros, softLimitMicros, hardStop, updatedAt]);
  }

  /** The lineage of an API key; null if the tenant has no key with this id. */
  async keyLineage(id: string): Promise<string | null> {
    const [row] = await this.database.read<{ id: string | null }>(statement(LINEAGE, [id]));
    return row!.id;
  }
}
