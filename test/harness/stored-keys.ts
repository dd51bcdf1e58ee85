/**
 * SQL that makes of the answer under an idempotency key the claim that a process leaves which dies before it has one.
 * Values: tenant, key, and the interval until the claim is over, from now.
 */
export const LEAVE_CLAIM = `
  update data.idempotency_keys set completed_at = null, status = null, headers = null, body = null,
    locked_until = now() + $3::interval
  where tenant_id = $1 and key = $2`;
