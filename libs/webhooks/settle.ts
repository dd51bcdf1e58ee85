import { statement, type Statement } from '#libs/database/statement.js';
import type { OutboundTimings } from '#libs/outbound/outbound-result.js';
import type { SettledAttempt } from './leased-delivery.js';

// The locks are held until the deliveries are settled. A delivery whose lease was lost is left alone, and its attempt is not
// recorded.
const LOG = `
  with mine as (
    select l.* from unnest($2::uuid[], $3::uuid[], $4::integer[], $5::uuid[], $6::text[], $7::timestamptz[], $8::integer[],
      $9::integer[], $10::integer[], $11::integer[], $12::integer[], $13::text[], $14::integer[], $15::text[], $16::text[],
      $17::jsonb[], $18::text[], $19::text[])
      as l (id, token, number, endpoint_id, cause, started_at, duration_ms, dns_ms, connect_ms, tls_ms, first_byte_ms,
        remote_address, http_status, error, error_detail, response_headers, response_excerpt, key_ids)
    join data.webhook_queue q on q.tenant_id = $1 and q.delivery_id = l.id and q.lease_token = l.token
    for no key update of q)
  insert into data.webhook_attempts (tenant_id, delivery_id, number, endpoint_id, cause, started_at, duration_ms, dns_ms,
    connect_ms, tls_ms, first_byte_ms, remote_address, http_status, error, error_detail, response_headers,
    response_excerpt, key_ids)
  select $1, id, number, endpoint_id, cause, started_at, duration_ms, dns_ms, connect_ms, tls_ms, first_byte_ms,
    remote_address, http_status, error, error_detail, response_headers, response_excerpt, string_to_array(key_ids, ' ')
  from mine`;

const SETTLE = `
  with mine as (
    select r.*, case when r.pause_ms is not null then now() + r.pause_ms * interval '1 millisecond'
      when r.status is null then q.resume_at end as due_at
    from unnest($3::uuid[], $4::uuid[], $5::uuid[], $6::text[], $7::bigint[], $8::boolean[])
      as r (tenant_id, id, token, status, pause_ms, scheduled)
    join data.webhook_queue q on q.tenant_id = r.tenant_id and q.delivery_id = r.id and q.lease_token = r.token),
  gone as (
    delete from data.webhook_queue q using mine
    where q.tenant_id = mine.tenant_id and q.delivery_id = mine.id and mine.due_at is null),
  kept as (
    update data.webhook_queue q
    set lease_token = null, due_at = mine.due_at, resume_at = null, retry = true,
      cause = case q.cause when 'manual' then 'schedule' else q.cause end
    from mine where q.tenant_id = mine.tenant_id and q.delivery_id = mine.id and mine.due_at is not null)
  update data.webhook_deliveries d
  set status = coalesce(mine.status, d.status), attempts = d.attempts + mine.scheduled::integer,
    attempt_count = d.attempt_count + 1, delivered_at = case mine.status when 'delivered' then now() else d.delivered_at end,
    skip_reason = case mine.status when 'delivered' then null else d.skip_reason end
  from mine where d.tenant_id = mine.tenant_id and d.id = mine.id and d.id between $1 and $2`;

/** Records attempts of one tenant whose leases hold. To be followed by {@link settleStatement}. */
export function logStatement(tenantId: string, attempts: readonly SettledAttempt[]): Statement {
  const column = <K extends keyof SettledAttempt>(name: K) => attempts.map((attempt) => attempt[name]);
  const timing = (name: keyof OutboundTimings) => attempts.map(({ timings }) => timings[name]);
  return statement(LOG, [
    tenantId,
    column('id'),
    column('token'),
    column('number'),
    column('endpointId'),
    column('cause'),
    column('startedAt'),
    timing('totalMs'),
    timing('dnsMs'),
    timing('connectMs'),
    timing('tlsMs'),
    timing('firstByteMs'),
    column('remoteAddress'),
    column('httpStatus'),
    column('error'),
    column('errorDetail'),
    column('responseHeaders'),
    column('responseExcerpt'),
    attempts.map(({ keyIds }) => keyIds.join(' ')),
  ]);
}

/**
 * What becomes of the deliveries after attempts of several tenants, whose ids lie from `first` to `last`. Changes as many
 * rows as leases held. Needs the `system` role.
 */
export function settleStatement(
  attempts: readonly (SettledAttempt & { tenantId: string })[],
  first: string,
  last: string,
): Statement {
  return statement(SETTLE, [
    first,
    last,
    attempts.map(({ tenantId }) => tenantId),
    attempts.map(({ id }) => id),
    attempts.map(({ token }) => token),
    attempts.map(({ status }) => status),
    attempts.map(({ pauseMs }) => pauseMs),
    attempts.map(({ cause }) => cause !== 'manual'),
  ]);
}
