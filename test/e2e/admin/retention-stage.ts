import { DAY_MS } from '#libs/kernel/durations.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { NightlyRetention } from '#src/areas/assurance/retention/nightly.js';
import type { TestTenant } from '../../harness/platform.js';
import { exhaust } from '../../worker/automation-stage.js';
import type { Stage } from '../../worker/stage.js';

export const RETENTION = '/api/admin/retention';

/** Sends an action and returns its result. */
export async function command(tenant: TestTenant, body: object): Promise<Record<string, unknown>> {
  const answer = await tenant.api.post(RETENTION, body);
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
  return answer.body;
}

/** Runs the worker until all jobs are finished. */
export async function work(stage: Stage): Promise<void> {
  const worker = await stage.idleWorker();
  await exhaust(worker);
}

/** Moves the clock to the next night and runs what is due. */
export async function night(stage: Stage): Promise<void> {
  const worker = await stage.idleWorker();
  await worker.get(NightlyRetention).sweep();
  stage.platform.clock.advance(DAY_MS);
  await exhaust(worker);
}

/** All rows of a tenant that contain an id, by table. */
export async function rowsNaming(stage: Stage, tenant: TestTenant, id: string): Promise<string[]> {
  const tables = await stage.sql<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c where c.relnamespace = 'data'::regnamespace
       and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await stage.sql(`select from ${name} t where tenant_id = $1 and t::text like $2 limit 1`, [
      tenant.id,
      `%${id}%`,
    ]);
    if (rows.length > 0) found.push(name);
  }
  return found;
}

/** Types that the API knows. */
export const types = (stage: Stage) =>
  stage.platform.app
    .get(ResourceRegistry)
    .all()
    .map(({ type }) => type)
    .sort();
