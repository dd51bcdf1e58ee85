import type { Roles } from '#libs/database/roles.js';

/** One rule for the catalog: a query that returns a row for each violation. */
export interface Rule {
  name: string;
  /** Returns `place` and `fault`. */
  sql: string;
  values?(roles: Roles): unknown[];
}

/** Tables of deliveries, queues, sealing, keys and stored bytes, whose rows the worker sees across tenants. Do not add other tables. */
export const SYSTEM_TABLES = [
  'ai_lanes',
  'ai_queue',
  'audit_checkpoints',
  'audit_pending',
  'audit_stream_cursors',
  'audit_tree',
  'data_keys',
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
  'job_queue',
  'file_contents',
  'file_content_uses',
  'used_file_links',
  'file_scans',
  'mails',
];

/** The strict expression as printed by PostgreSQL: fails without a tenant and is evaluated once per query. */
export const STRICT = `(tenant_id = ( SELECT (current_setting('app.tenant_id'::text))::uuid AS current_setting))`;
