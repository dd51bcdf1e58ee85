import { KeyExpiryUpkeep } from '#src/areas/access/api-keys/key-expiry-upkeep.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { type Key, KEYS, makeKey } from '../e2e/settings/key-calls.js';
import { Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

it('reports keys that expire soon, once per secret, and no others', async () => {
  const tenant = await stage.platform.tenant();
  const inDays = (days: number) => new Date(stage.platform.clock.nowMs() + days * DAY_MS).toISOString();
  const told = async () =>
    (
      await stage.sql<{ name: string }>(
        `select envelope::jsonb -> 'data' ->> 'name' as name from data.events
         where tenant_id = $1 and envelope::jsonb ->> 'type' = 'settings.api_key.expiring' order by id`,
        [tenant.id],
      )
    ).map(({ name }) => name);
  const soon = await makeKey(tenant.api, { name: 'Soon', expiresAt: inDays(13) });
  await makeKey(tenant.api, { name: 'Later', expiresAt: inDays(40) });
  const { id } = await makeKey(tenant.api, { name: 'Revoked', expiresAt: inDays(13) });
  await tenant.api.post(`${KEYS}/${id}/revoke`);
  const workers = await Promise.all([stage.idleWorker(), stage.idleWorker()]);
  const sweep = () => Promise.all(workers.map((worker) => worker.get(KeyExpiryUpkeep).sweep()));
  await sweep();
  await sweep();
  expect(await told()).toEqual(['Soon']);
  await tenant.api.post<Key>(`${KEYS}/${soon.id}/rotate`);
  stage.platform.clock.advance(5 * DAY_MS);
  await sweep();
  expect(await told()).toEqual(['Soon', 'Soon']);
});
