import { statement, type Statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';

const SET = `insert into data.ai_lanes as l (tenant_id, concurrency) values ($1, $2)
  on conflict (tenant_id) do update set concurrency = excluded.concurrency where l.concurrency <> excluded.concurrency`;

/** Statement that sets how many jobs of the tenant may run concurrently. */
export function laneStatement(concurrency: number): Statement {
  return statement(SET, [currentTenant().id, concurrency]);
}
