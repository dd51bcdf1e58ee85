/** Columns of `webhook_attempts` that every view of an attempt shows, by field name. */
export const SHOWN_OF_ATTEMPT = `number, cause, started_at as "startedAt", duration_ms as "durationMs", dns_ms as "dnsMs",
  connect_ms as "connectMs", tls_ms as "tlsMs", first_byte_ms as "firstByteMs", remote_address as "remoteAddress",
  http_status as "httpStatus", error, error_detail as "errorDetail", key_ids as "keyIds"`;
