import { jsonArray } from '#libs/database/json-array.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { DELIVERY_COLUMNS } from '../relay/fan-out.js';
import { keptOfAttempt } from './first-attempt.js';
import { isEntry } from '../leases/lease-owner.js';
import type { OutboundTimings } from '#libs/outbound/outbound-result.js';
import type { SettledAttempt } from '../leases/leased-delivery.js';
import { recordColumns } from '../leases/sending-statements.js';

// The entry is kept if the delivery is due again: after a delay, or because a manual attempt ahead of the schedule
// failed.
const KEPT = `
  kept as (
    update data.webhook_queue q
    set lease_token = null, leased_until = null, direct = false, resume_at = null, retry = true,
      due_at = coalesce(now() + made.pause_ms * interval '1 millisecond', q.resume_at),
      cause = case q.cause when 'manual' then 'schedule' else q.cause end
    from made where ${isEntry('made.tenant_id', 'made.id')} and q.lease_token = made.token
      and (made.pause_ms is not null or made.status is null and q.resume_at is not null)
    returning made.place, q.endpoint_id),`;
// A delivery whose lease was lost is skipped, and its attempt is not recorded. The steps pass on only the index of an
// attempt in the lists; otherwise each step would store all its columns.
const SETTLE = (kept: string) => `
  with made as (
    select * from unnest($3::uuid[], $4::uuid[], $5::uuid[], $6::text[], $7::bigint[])
      with ordinality as l (tenant_id, id, token, status, pause_ms, place)),
  gone as (
    delete from data.webhook_queue q using made
    where ${isEntry('made.tenant_id', 'made.id')} and q.lease_token = made.token
      and made.pause_ms is null and (made.status is not null or q.resume_at is null)
    returning made.place, q.endpoint_id),${kept}
  mine as (select * from gone${kept && ' union all select * from kept'}),
  logged as (
    insert into data.webhook_attempts (tenant_id, delivery_id, number, endpoint_id, cause, started_at, duration_ms, dns_ms,
      connect_ms, tls_ms, first_byte_ms, remote_address, http_status, error, error_detail, response_headers,
      response_excerpt, key_ids)
    select tenant_id, id, number, endpoint_id, cause, started_at, duration_ms, dns_ms, connect_ms, tls_ms, first_byte_ms,
      remote_address, http_status, error, error_detail, response_headers, response_excerpt, string_to_array(key_ids, ' ')
    from mine join unnest($3::uuid[], $4::uuid[], $8::integer[], $9::text[], $10::timestamptz[], $11::integer[],
      $12::integer[], $13::integer[], $14::integer[], $15::integer[], $16::text[], $17::integer[], $18::text[], $19::text[],
      $20::jsonb[], $21::text[], $22::text[])
      with ordinality as l (tenant_id, id, number, cause, started_at, duration_ms, dns_ms, connect_ms, tls_ms, first_byte_ms,
        remote_address, http_status, error, error_detail, response_headers, response_excerpt, key_ids, place) using (place))
  update data.webhook_deliveries d
  set status = coalesce(l.status, d.status), attempts = d.attempts + (l.cause <> 'manual')::integer,
    attempt_count = d.attempt_count + 1, delivered_at = case l.status when 'delivered' then now() else d.delivered_at end,
    skip_reason = case l.status when 'delivered' then null else d.skip_reason end
  from mine join unnest($3::uuid[], $4::uuid[], $6::text[], $9::text[])
    with ordinality as l (tenant_id, id, status, cause, place) using (place)
  where d.tenant_id = l.tenant_id and d.id = l.id and d.id between $1 and $2`;

const SETTLE_FIRST = `
  insert into data.webhook_deliveries (${DELIVERY_COLUMNS}, created_at, first_attempt, status, attempts, attempt_count,
    delivered_at)
  select d.*, 'delivered', 1, 1, now() from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::integer[],
    $7::text[], $8::text[], $9::text[], $10::bigint[], $11::timestamptz[], $12::json[]) as d`;
const SETTLE_FIRST_ANY = `${SETTLE_FIRST} on conflict (tenant_id, id) do nothing returning id`;

/** Most deliveries are done after this; then the entry is not looked up a second time. */
const SETTLE_DONE = SETTLE('');
const SETTLE_ANY = SETTLE(KEPT);

/**
 * Records attempts of several tenants, whose deliveries have ids from `first` to `last`, and their outcomes. Changes
 * one row per lease that is still held. Requires the `system` role, and BY_KEY before it.
 */
export function settleStatement(attempts: readonly SettledAttempt[], first: string, last: string): Statement {
  const column = <T>(value: (attempt: SettledAttempt) => T) => attempts.map(value);
  const timing = (name: keyof OutboundTimings) => column(({ result }) => result.timings[name]);
  const done = attempts.every(({ status, pauseMs }) => status !== null && pauseMs === null);
  return statement(done ? SETTLE_DONE : SETTLE_ANY, [
    first,
    last,
    column(({ delivery }) => delivery.tenantId),
    column(({ delivery }) => delivery.id),
    column(({ delivery }) => delivery.token),
    column(({ status }) => status),
    column(({ pauseMs }) => pauseMs),
    column(({ delivery }) => delivery.attemptCount + 1),
    column(({ delivery }) => delivery.cause),
    column(({ startedAt }) => startedAt),
    timing('totalMs'),
    timing('dnsMs'),
    timing('connectMs'),
    timing('tlsMs'),
    timing('firstByteMs'),
    column(({ result }) => result.remoteAddress),
    column(({ result }) => result.httpStatus),
    column(({ error }) => error),
    column(({ result }) => result.errorDetail),
    column(({ result }) => result.responseHeaders),
    column(({ result }) => (result.httpStatus === null ? null : result.bodyExcerpt)),
    column(({ keyIds }) => keyIds.join(' ')),
  ]);
}

/**
 * Creates rows for deliveries whose first attempts succeeded; the attempts are stored in the rows. Requires the
 * `system` role.
 * @param mayHaveRows Whether to skip deliveries that have rows, with their attempts, and to return the `id` of each
 *   other one, which costs PostgreSQL a tenth more. Otherwise an existing row is an error.
 */
export function settleFirstStatement(attempts: readonly SettledAttempt[], mayHaveRows: boolean): Statement {
  const columns = recordColumns(attempts.map(({ delivery }) => delivery));
  const values = [...columns, attempts.map(({ startedAt }) => startedAt), jsonArray(attempts.map(keptOfAttempt))];
  return statement(mayHaveRows ? SETTLE_FIRST_ANY : SETTLE_FIRST, values);
}
