/** SQL: the worker that has leased the queue entry `q`: the first four bytes of its token. */
export const OWNER = `('x' || left(q.lease_token::text, 8))::bit(32)::bigint`;

/**
 * SQL: `q` is the queue entry of a delivery. Written to force a lookup by key when the queue is joined with a list: a
 * comparison of columns could become a merge join, which reads the whole index.
 */
export const isEntry = (tenantId: string, id: string) =>
  `q.tenant_id = any (array[${tenantId}]) and q.delivery_id = any (array[${id}])`;

/**
 * SQL: the leased queue entries, each with the `worker` that has claimed it. That worker may no longer have it, because
 * a queue job may have gone to another one. One lookup by key for each (`offset 0`), however full the queue is.
 * @param claims SQL: the claims to read
 */
export const keptOf = (claims: string) => `
    select c.tenant_id, c.worker, q.endpoint_id, q.delivery_id, q.leased_until, q.lease_token, q.direct
    from ${claims} c cross join unnest(c.delivery_ids) as id cross join lateral (
      select * from data.webhook_queue q
      where q.tenant_id = c.tenant_id and q.delivery_id = id and q.lease_token is not null offset 0) q`;

/** SQL: the claims of the tenants of the table `rows`, one lookup by key for each. */
export const claimsOf = (rows: string) => `
    select c.* from (select distinct tenant_id from ${rows}) w cross join lateral (
      select * from data.webhook_claims c where c.tenant_id = w.tenant_id offset 0) c`;

/** SQL: {@link keptOf} for all tenants. */
export const KEPT = keptOf('data.webhook_claims');

/**
 * SQL: the endpoints of the table `lanes`, each with its number of leased deliveries (`entries`), that of its tenant
 * (`of_tenant`), and whether some of them have no rows yet (`is_sending`). Uses `kept`, see {@link keptOf}, and
 * `sending`. An entry that two workers have claimed counts once.
 */
export const busyOf = (lanes: string) => `
    select tenant_id, endpoint_id, bool_or(is_looked_at) as is_looked_at, bool_or(is_sending) as is_sending,
      count(distinct delivery_id) as entries, sum(count(distinct delivery_id)) over (partition by tenant_id) as of_tenant
    from (select tenant_id, endpoint_id, null as delivery_id, true as is_looked_at, false as is_sending from ${lanes}
      union all select tenant_id, endpoint_id, delivery_id, false, false from kept where leased_until > now()
      union all select tenant_id, endpoint_id, delivery_id, false, true from sending) entry
    group by tenant_id, endpoint_id`;

/**
 * SQL: the table `sending` for {@link busyOf}, from three lists of deliveries without rows, see {@link sendingColumns}.
 */
export const sendingOf = (first: number) => `
    select * from unnest($${first}::uuid[], $${first + 1}::uuid[], $${first + 2}::uuid[])
      as s (tenant_id, endpoint_id, delivery_id)`;

/** The three lists of {@link sendingOf}. */
export function sendingColumns(sending: readonly { tenantId: string; endpointId: string; id: string }[]): string[][] {
  return [
    sending.map(({ tenantId }) => tenantId),
    sending.map(({ endpointId }) => endpointId),
    sending.map(({ id }) => id),
  ];
}

/** SQL: records that `worker` has leased the entries of the table `claimed`, in addition to those in `kept`. */
export const noteOf = (claimed: string, worker: string) => `
    insert into data.webhook_claims as c (tenant_id, worker, delivery_ids)
    select tenant_id, ${worker}, array_agg(delivery_id) from (
      select tenant_id, delivery_id from ${claimed}
      union select tenant_id, delivery_id from kept
        where worker = ${worker} and tenant_id = any (array(select distinct tenant_id from ${claimed}))) own
    group by tenant_id
    on conflict (tenant_id, worker) do update set delivery_ids = excluded.delivery_ids`;

/** The worker that a token belongs to. */
export function workerOf(token: string): number {
  return Number.parseInt(token.slice(0, 8), 16);
}
