/** SQL: the worker that the entry `q` of the queue is leased by: the first four bytes of its token. */
export const OWNER = `('x' || left(q.lease_token::text, 8))::bit(32)::bigint`;

/**
 * SQL: the entries of the queue that are leased, each with the `worker` that has claimed it, which need not have it any
 * more: a job of the queue may have gone to another one. One look by key for each (`offset 0`), however full the queue is.
 */
export const KEPT = `
    select c.tenant_id, c.worker, q.endpoint_id, q.delivery_id, q.leased_until, q.lease_token
    from data.webhook_claims c cross join unnest(c.delivery_ids) as id cross join lateral (
      select * from data.webhook_queue q
      where q.tenant_id = c.tenant_id and q.delivery_id = id and q.lease_token is not null offset 0) q`;

/** The worker that a token belongs to. */
export function workerOf(token: string): number {
  return Number.parseInt(token.slice(0, 8), 16);
}
