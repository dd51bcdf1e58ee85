import { DAY_MS } from '#libs/kernel/durations.js';
import { eventsOf } from '../harness/written.js';
import { exhaust } from './automation-stage.js';
import { Stage } from './stage.js';

/** Scheduled actions on secrets. */
let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

const PATH = '/api/admin/secrets';
const EXPIRING = 'core.secret.expiring';

test('reports a value 14 days and one day before it expires, once each, unless it was replaced', async () => {
  const { platform } = stage;
  const tenant = await platform.tenant();
  const worker = await stage.idleWorker();
  const expiresAt = new Date(platform.clock.nowMs() + 20 * DAY_MS).toISOString();
  const secret = { value: 'x', expiresAt };
  const kept = await tenant.api.post<{ id: string }>(PATH, { name: 'KEPT', ...secret });
  const replaced = await tenant.api.post<{ id: string }>(PATH, { name: 'REPLACED', ...secret });
  const notices = async (id: string) =>
    (await eventsOf(platform, tenant, id)).filter(({ type }) => type === EXPIRING).length;
  platform.clock.advance(5 * DAY_MS);
  await exhaust(worker);
  expect(await notices(kept.body.id)).toBe(0);
  platform.clock.advance(2 * DAY_MS);
  await exhaust(worker);
  expect([await notices(kept.body.id), await notices(replaced.body.id)]).toEqual([1, 1]);
  await tenant.api.post(PATH, { name: 'REPLACED', value: 'y' });
  platform.clock.advance(12.5 * DAY_MS);
  await exhaust(worker);
  expect([await notices(kept.body.id), await notices(replaced.body.id)]).toEqual([2, 1]);
  platform.clock.advance(10 * DAY_MS);
  await exhaust(worker);
  expect(await notices(kept.body.id)).toBe(2);
});

test('destroys the previous value after its grace period', async () => {
  const { platform } = stage;
  const tenant = await platform.tenant();
  const worker = await stage.idleWorker();
  await tenant.api.post(PATH, { name: 'KEY', value: 'one' });
  await tenant.api.post(PATH, { name: 'KEY', value: 'two', graceMinutes: 30 });
  const versions = async () =>
    (
      await stage.sql<{ version: number }>(
        `select version from data.secret_versions where tenant_id = $1 order by version`,
        [tenant.id],
      )
    ).map(({ version }) => version);
  await exhaust(worker);
  expect(await versions()).toEqual([1, 2]);
  platform.clock.advance(31 * 60_000);
  await exhaust(worker);
  expect(await versions()).toEqual([2]);
});
