import type { ShownDeal } from '#src/areas/sales/deals/deal.js';
import type { ShownPipeline } from '#src/areas/sales/pipelines/pipeline.js';
import { AUDITED } from '../../harness/audit.js';
import type { Client } from '../../harness/client.js';
import { asAdmin } from '../../harness/database.js';
import type { TestPlatform, TestTenant } from '../../harness/platform.js';

export const DEALS = '/api/v1/sales/deals';
export const PIPELINES = '/api/v1/sales/pipelines';

/** A stage in a request body. */
export function stage(key: string, category: 'open' | 'won' | 'lost', more: object = {}): Record<string, unknown> {
  const probability = { open: 50, won: 100, lost: 0 }[category];
  return { key, name: key, category, probability, forecastCategory: 'pipeline', ...more };
}

/** Creates a deal. @throws Error when the API rejects it. */
export async function makeDeal(api: Client, body: object = {}): Promise<ShownDeal> {
  const answer = await api.post<ShownDeal>(DEALS, { name: 'a deal', ...body });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}

/** Creates a pipeline. @throws Error when the API rejects it. */
export async function makePipeline(api: Client, body: object = {}): Promise<ShownPipeline> {
  const answer = await api.post<ShownPipeline>(PIPELINES, { name: 'a pipeline', ...body });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}

/** Runs an action that must succeed. @throws Error when the API rejects it. */
export async function act(api: Client, id: string, action: string, body?: object): Promise<ShownDeal> {
  const answer = await api.post<ShownDeal>(`${DEALS}/${id}/${action}`, body);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body;
}

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
