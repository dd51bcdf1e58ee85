import { statement, type Statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';

const STOP = `update data.ai_queue set stop_reason = $2 where tenant_id = $1 and stop_reason is null`;

/** Statement that cancels all unfinished jobs of the tenant and aborts running ones within seconds. */
export function stopStatement(reason: 'paused'): Statement {
  return statement(STOP, [currentTenant().id, reason]);
}
