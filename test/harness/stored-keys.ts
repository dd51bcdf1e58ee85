/**
 * SQL that turns the stored response of an idempotency key into the claim left by a process that died before
 * responding. Values: tenant, key, and the interval until the claim expires.
 */
export const LEAVE_CLAIM = `
  update data.idempotency_keys set completed_at = null, status = null, headers = null, body = null,
    locked_until = now() + $3::interval
  where tenant_id = $1 and key = $2`;
