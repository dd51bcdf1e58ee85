import { AUDITED } from './audit.js';
import { asAdmin } from './database.js';
import type { TestPlatform, TestTenant } from './platform.js';

/** The fields of an event or audit entry that the tests read. */
export interface Written {
  type: string;
  action: string;
  outcome: string;
  riskLevel: string;
  reason: string | null;
  actor: { type: string };
  target: { id: string; name: string };
  subject: { id: string; version: number };
  data: Record<string, unknown>;
  changes: Record<string, { from: unknown; to: unknown }> | null;
}

/** The events about a record, oldest first. */
export async function eventsOf(platform: TestPlatform, { id }: TestTenant, subject: string): Promise<Written[]> {
  const rows = await asAdmin<{ envelope: string }>(
    platform.database,
    'select envelope from data.events where tenant_id = $1 and subject_id = $2 order by id',
    [id, subject],
  );
  return rows.map(({ envelope }) => JSON.parse(envelope) as Written);
}

/** The audit entries about a record, oldest first. */
export async function auditOf(platform: TestPlatform, { id }: TestTenant, target: string): Promise<Written[]> {
  const rows = await asAdmin<{ entry: string }>(
    platform.database,
    `select ${AUDITED} as entry from data.audit_log where tenant_id = $1 and target_id = $2 order by occurred_at, id`,
    [id, target],
  );
  return rows.map(({ entry }) => JSON.parse(entry) as Written);
}
