import type { INestApplicationContext } from '@nestjs/common';
import { until } from '#libs/testing/until.js';
import { command, RETENTION } from '../e2e/admin/retention-stage.js';
import type { TestTenant } from '../harness/platform.js';
import { exhaust } from './automation-stage.js';
import { Stage } from './stage.js';

/** Number of races; set `RETENTION_RACES` for a longer run. */
const RACES = Number(process.env['RETENTION_RACES'] ?? 25);
const RECORDS = 12;
const MOST_REQUESTS = 12;
const PRODUCTS = '/api/v1/sales/products';
const SCOPE_OF_ALL = { objects: ['sales.product'] };

let stage: Stage;
let worker: INestApplicationContext;
let tenant: TestTenant;
let policyId: string;
beforeAll(async () => {
  stage = await Stage.open();
  worker = await stage.idleWorker();
  tenant = await stage.platform.tenant();
  policyId = (await command(tenant, { object: 'sales.product', retainDays: 30 }))['id'] as string;
});
afterAll(() => stage.close());

interface Found {
  id: string;
  isTrashed: boolean;
}

/** The records that exist. */
function products(): Promise<Found[]> {
  const query = `select id, deleted_at is not null as "isTrashed" from data.sales_products where tenant_id = $1`;
  return stage.sql<Found>(query, [tenant.id]);
}

async function expiredProducts(): Promise<string[]> {
  const created = Array.from({ length: RECORDS }, () =>
    tenant.api.post<{ id: string }>(PRODUCTS, { name: 'Licence', tags: ['old'] }),
  );
  const ids = (await Promise.all(created)).map(({ body }) => body.id);
  await stage.sql(`update data.sales_products set updated_at = updated_at - interval '100 days' where tenant_id = $1`, [
    tenant.id,
  ]);
  return ids;
}

/** Lets the run proceed for the time of a random number of requests; mostly few, because a run is short. */
async function proceed(): Promise<void> {
  for (let left = Math.random() ** 2 * MOST_REQUESTS; left > 0; left--) await tenant.api.get(`${PRODUCTS}?limit=1`);
}

/** Places a hold at some time. Returns the records that existed when the response arrived; null if it came too late. */
async function holdSometime(scope: object): Promise<Found[] | null> {
  await proceed();
  const body = { action: 'place_hold', name: 'Matter', reason: 'Lawsuit', scope };
  const answer = await tenant.api.post(RETENTION, body);
  if (answer.status === 200) return products();
  expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('unknown_reference')]);
  return null;
}

it(
  'a hold that has been placed is never overtaken by a deletion',
  async () => {
    const outcomes = { held: 0, late: 0 };
    for (let race = 0; race < RACES; race++) {
      await stage.sql('delete from data.legal_holds where tenant_id = $1', [tenant.id]);
      const ids = await expiredProducts();
      await command(tenant, { action: 'run_now', id: policyId, confirm: true });
      const run = exhaust(worker);
      // Some people empty the list at the same time.
      const deletions = ids.slice(0, 4).map(async (id) => {
        await proceed();
        expect([200, 404, 423]).toContain((await tenant.api.delete(`${PRODUCTS}/${id}`)).status);
      });
      const scopes = race % 3 === 0 ? [SCOPE_OF_ALL] : ids.map((id) => ({ objectIds: [id] }));
      const holds = await Promise.all(scopes.map(async (scope) => ({ scope, found: await holdSometime(scope) })));
      await Promise.all([run, ...deletions]);
      const left = new Map((await products()).map(({ id, isTrashed }) => [id, isTrashed]));
      for (const { scope, found } of holds) {
        outcomes[found && found.length > 0 ? 'held' : 'late']++;
        if (!found) continue;
        const held = 'objectIds' in scope ? found.filter(({ id }) => scope.objectIds.includes(id)) : found;
        if ('objectIds' in scope) expect(held).toHaveLength(1);
        for (const { id, isTrashed } of held) expect([id, left.get(id)]).toEqual([id, isTrashed]);
      }
    }
    expect(outcomes.held).toBeGreaterThan(0);
    expect(outcomes.late).toBeGreaterThan(0);
  },
  RACES * 10_000 + 60_000,
);

it.each(['PATCH', 'DELETE'] as const)(
  '%s holds no row that a run needs while a hold waits for the run',
  async (verb) => {
    await stage.sql('delete from data.legal_holds where tenant_id = $1', [tenant.id]);
    const { id } = (await tenant.api.post<{ id: string }>(PRODUCTS, { name: 'Licence' })).body;
    const locked = (count: number) =>
      until(async () => (await stage.sql('select from pg_locks where not granted')).length === count);
    const run = await stage.transaction(
      { text: `select set_config('app.tenant_id', $1, true)`, values: [tenant.id] },
      { text: 'select data.lock_deletions()' },
    );
    const hold = command(tenant, { action: 'place_hold', name: 'Matter', reason: 'Lawsuit', scope: SCOPE_OF_ALL });
    await locked(1);
    const path = `${PRODUCTS}/${id}`;
    const change = verb === 'PATCH' ? tenant.api.patch(path, { name: 'Key' }) : tenant.api.delete(path);
    await locked(2);
    await run.client.query('select from data.sales_products where id = $1 for update nowait', [id]);
    await run.end();
    await hold;
    expect((await change).status).toBe(verb === 'PATCH' ? 200 : 423);
  },
);
