import type { SettledAttempt } from '../leases/leased-delivery.js';

/**
 * SQL: the columns of `data.webhook_attempts` for a delivery `d` whose first attempt succeeded. That attempt is stored
 * in the delivery's row, which was created with it.
 */
const FIRST_ATTEMPT = Object.entries({
  tenant_id: 'd.tenant_id',
  delivery_id: 'd.id',
  number: '1',
  endpoint_id: 'd.endpoint_id',
  cause: `'schedule'`,
  started_at: 'd.created_at',
  duration_ms: `(d.first_attempt->>'durationMs')::integer`,
  dns_ms: `(d.first_attempt->>'dnsMs')::integer`,
  connect_ms: `(d.first_attempt->>'connectMs')::integer`,
  tls_ms: `(d.first_attempt->>'tlsMs')::integer`,
  first_byte_ms: `(d.first_attempt->>'firstByteMs')::integer`,
  remote_address: `d.first_attempt->>'remoteAddress'`,
  http_status: `(d.first_attempt->>'httpStatus')::integer`,
  error: 'null',
  error_detail: 'null',
  response_headers: `(d.first_attempt->'responseHeaders')::jsonb`,
  response_excerpt: `d.first_attempt->>'responseExcerpt'`,
  key_ids: `string_to_array(d.first_attempt->>'keyIds', ' ')`,
});

/** SQL: columns of `data.webhook_attempts`. */
export const ATTEMPT_COLUMNS = FIRST_ATTEMPT.map(([name]) => name).join(', ');

/**
 * SQL: attempts that are stored in the rows of their deliveries, as {@link ATTEMPT_COLUMNS}; further conditions can
 * follow with `and`.
 */
export const FIRST_ATTEMPTS = `select ${FIRST_ATTEMPT.map(([name, value]) => `${value} as ${name}`).join(', ')}
  from data.webhook_deliveries d where d.first_attempt is not null`;

/** SQL: all attempts, as {@link ATTEMPT_COLUMNS}. */
export const ATTEMPTS = `(select ${ATTEMPT_COLUMNS} from data.webhook_attempts union all ${FIRST_ATTEMPTS})`;

/**
 * What the row of a delivery stores of its successful attempt, without steps that did not happen. The attempt started
 * when the row says that the delivery was created.
 */
export function keptOfAttempt({ result, keyIds }: SettledAttempt): string {
  const { timings, remoteAddress, httpStatus, responseHeaders, bodyExcerpt } = result;
  return JSON.stringify({
    durationMs: timings.totalMs,
    dnsMs: timings.dnsMs ?? undefined,
    connectMs: timings.connectMs ?? undefined,
    tlsMs: timings.tlsMs ?? undefined,
    firstByteMs: timings.firstByteMs,
    remoteAddress,
    httpStatus,
    responseHeaders,
    responseExcerpt: bodyExcerpt,
    keyIds: keyIds.join(' '),
  });
}
