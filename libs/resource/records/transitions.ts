import { statement, type Statement } from '#libs/database/statement.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';

/** One state change of a record in its life cycle. */
export interface Move {
  /** Type key, e.g. `sales.deal`. */
  object: string;
  recordId: string;
  action: string;
  from: { state: string; stage?: string };
  to: { state: string; stage?: string };
  at: string;
  /** When the record was created: the start of its first state. */
  createdAt: string;
  reason: string | null;
}

const INSERT = `insert into data.record_transitions (tenant_id, id, object, record_id, action, from_state, to_state,
    from_stage, to_stage, actor, request_id, occurred_at, seconds_in_from_state, reason)
  select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12::timestamptz,
    greatest(0, floor(extract(epoch from $12::timestamptz - coalesce(
      (select max(p.occurred_at) from data.record_transitions p where p.tenant_id = $1 and p.record_id = $4),
      $13::timestamptz)))::bigint), $14`;

/**
 * The statement that stores a state change, for the timeline and for the time in state. The time in the previous state
 * counts from the last change, or from creation.
 */
export function moveStatement(move: Move): Statement {
  const { from, to } = move;
  const { actor, requestId } = currentScope();
  return statement(INSERT, [
    currentTenant().id,
    uuidv7(),
    move.object,
    move.recordId,
    move.action,
    from.state,
    to.state,
    from.stage ?? null,
    to.stage ?? null,
    JSON.stringify(actor),
    requestId,
    move.at,
    move.createdAt,
    move.reason,
  ]);
}
