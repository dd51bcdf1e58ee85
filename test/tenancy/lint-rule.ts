import type { Roles } from '#libs/database/roles.js';

/** One rule of the catalog: a query that returns a row for each place where it is broken. */
export interface Rule {
  name: string;
  /** Answers `place` and `fault`. */
  sql: string;
  values?(roles: Roles): unknown[];
}

/** Tables of deliveries, queues and sealing, whose rows the worker sees across tenants. Nothing else belongs here. */
export const SYSTEM_TABLES = [
  'ai_lanes',
  'ai_queue',
  'audit_checkpoints',
  'audit_pending',
  'audit_tree',
  'idempotency_keys',
  'events',
  'events_pending',
  'event_numbers',
  'event_sequences',
  'events_set_aside',
  'webhook_deliveries',
  'webhook_queue',
  'webhook_claims',
  'webhook_sending',
  'webhook_attempts',
  'webhook_lanes',
  'webhook_recoveries',
  'webhook_stats',
  'automation_runs',
  'mails',
];

/** The strict expression as PostgreSQL prints it: an error without a tenant, one evaluation per query. */
export const STRICT = `(tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))`;
