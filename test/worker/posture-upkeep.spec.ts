import { DAY_MS } from '#libs/kernel/durations.js';
import { PostureUpkeep } from '#src/areas/assurance/security/posture/posture-upkeep.js';
import { Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

interface History {
  history: { score: number; at: string }[];
}

it('runs the security checks of each tenant once a day, and forgets old runs', async () => {
  const tenants = [await stage.platform.tenant(), await stage.platform.tenant()];
  const [tenant] = tenants;
  const { clock } = stage.platform;
  const workers = await Promise.all([stage.idleWorker(), stage.idleWorker()]);
  const sweep = () => Promise.all(workers.map((worker) => worker.get(PostureUpkeep).sweep()));
  const runs = async () => {
    const path = '/api/admin/security/posture?include=history';
    return Promise.all(tenants.map(async ({ api }) => (await api.get<History>(path)).body.history.length));
  };
  await sweep();
  expect(await runs()).toEqual([0, 0]); // too new
  clock.advance(DAY_MS + 1_000);
  await sweep();
  await sweep();
  expect(await runs()).toEqual([1, 1]);
  const [event] = await stage.sql<{ envelope: { actor: object; data: object } }>(
    `select envelope::json as envelope from data.events where tenant_id = $1 and type = 'security.posture.assessed'`,
    [tenant!.id],
  );
  expect(event!.envelope).toMatchObject({ actor: { type: 'system' }, data: { trigger: 'schedule' } });
  await tenant!.api.post('/api/admin/security/posture', {});
  clock.advance(DAY_MS / 2);
  await sweep();
  expect(await runs()).toEqual([2, 1]);
  clock.advance(DAY_MS);
  await sweep();
  expect(await runs()).toEqual([3, 2]);
  clock.advance(401 * DAY_MS);
  await sweep();
  expect(await runs()).toEqual([1, 1]);
});
