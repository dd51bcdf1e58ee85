import { asAdmin } from '../../harness/database.js';
import type { TestPlatform, TestTenant } from '../../harness/platform.js';

/** Rows written by requests of a tenant. */
export interface Traces {
  deals: number;
  pipelines: number;
  audit: number;
  events: number;
  idempotencyKeys: number;
}

/** Actual rows of a tenant, which a refused request must not change. */
export async function tracesOf({ database }: TestPlatform, { id }: TestTenant): Promise<Traces> {
  const [row] = await asAdmin<Traces>(
    database,
    `select (select count(*)::int from data.sales_deals where tenant_id = $1) as deals,
       (select count(*)::int from data.sales_pipelines where tenant_id = $1) as pipelines,
       (select count(*)::int from data.audit_log where tenant_id = $1) as audit,
       (select count(*)::int from data.events where tenant_id = $1) as events,
       (select count(*)::int from data.idempotency_keys where tenant_id = $1) as "idempotencyKeys"`,
    [id],
  );
  return row!;
}
