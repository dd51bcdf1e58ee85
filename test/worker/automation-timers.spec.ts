import { Automations } from '#libs/automation/automations.js';
import { timerStatement } from '#libs/automation/timers.js';
import { Database } from '#libs/database/database.js';
import { HOUR_MS } from '#libs/kernel/durations.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { affect, cancel, commit, effects, exhaust, forgetRuns, onBehalf, runs, set } from './automation-stage.js';
import { Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterEach(async () => {
  await stage.stopWorkers();
  await forgetRuns(stage);
});
afterAll(() => stage.close());

const KIND = 'test.thing.due';
const inHours = (hours: number) => stage.platform.clock.nowMs() + hours * HOUR_MS;

/** A worker that counts the firings of each timer. */
async function counting() {
  const worker = await stage.idleWorker();
  worker.get(Automations).timer({ kind: KIND, onBehalf, fire: (key) => affect(worker, key) });
  return worker;
}

describe('a timer', () => {
  it('fires once when it is due and not before', async () => {
    const tenant = await stage.platform.tenant();
    const workers = [await counting(), await counting()];
    await set(stage, tenant, KIND, 'x', inHours(1));
    await Promise.all(workers.map(exhaust));
    expect(await effects(stage, tenant)).toEqual({});
    stage.platform.clock.advance(HOUR_MS);
    await Promise.all(workers.map(exhaust));
    await Promise.all(workers.map(exhaust));
    expect(await effects(stage, tenant)).toEqual({ x: 1 });
  });

  it('that is moved fires only at the new time', async () => {
    const tenant = await stage.platform.tenant();
    const worker = await counting();
    await set(stage, tenant, KIND, 'later', inHours(1));
    await set(stage, tenant, KIND, 'later', inHours(3));
    await set(stage, tenant, KIND, 'sooner', inHours(9));
    await set(stage, tenant, KIND, 'sooner', inHours(1));
    stage.platform.clock.advance(2 * HOUR_MS);
    await exhaust(worker);
    expect(await effects(stage, tenant)).toEqual({ sooner: 1 });
    stage.platform.clock.advance(8 * HOUR_MS);
    await exhaust(worker);
    expect(await effects(stage, tenant)).toEqual({ later: 1, sooner: 1 });
  });

  it('that is cancelled never fires, even if it is due', async () => {
    const tenant = await stage.platform.tenant();
    const worker = await counting();
    await set(stage, tenant, KIND, 'x', inHours(1));
    stage.platform.clock.advance(2 * HOUR_MS);
    await cancel(stage, tenant, KIND, 'x');
    await exhaust(worker);
    expect(await effects(stage, tenant)).toEqual({});
    expect(await runs(stage, tenant)).toMatchObject([{ state: 'cancelled' }]);
    await cancel(stage, tenant, KIND, 'never set');
  });

  it('that has fired fires again when it is set again', async () => {
    const tenant = await stage.platform.tenant();
    const worker = await counting();
    for (const times of [1, 2]) {
      await set(stage, tenant, KIND, 'x', inHours(0));
      await exhaust(worker);
      expect(await effects(stage, tenant)).toEqual({ x: times });
    }
  });

  it('that has failed restarts when it is set again', async () => {
    const tenant = await stage.platform.tenant();
    const worker = await stage.idleWorker();
    worker.get(Automations).timer({ kind: KIND, onBehalf, fire: async () => Promise.reject(new Error('no')) });
    await set(stage, tenant, KIND, 'x', inHours(0));
    await exhaust(worker);
    expect(await runs(stage, tenant)).toMatchObject([{ state: 'waiting', attempts: 1, error_code: 'internal_error' }]);
    await set(stage, tenant, KIND, 'x', inHours(5));
    expect(await runs(stage, tenant)).toMatchObject([{ state: 'waiting', attempts: 0, error_code: null }]);
  });

  it('can set itself again, as dunning does', async () => {
    const tenant = await stage.platform.tenant();
    const worker = await stage.idleWorker();
    const fire = async (key: string) => {
      await affect(worker, key);
      const dueAt = new Date(inHours(1)).toISOString();
      await worker
        .get(Database)
        .transaction(async (transaction) => transaction.write(timerStatement({ kind: KIND, key, dueAt })));
    };
    worker.get(Automations).timer({ kind: KIND, onBehalf, fire });
    await set(stage, tenant, KIND, 'x', inHours(0));
    for (const times of [1, 2, 3]) {
      await exhaust(worker);
      expect(await effects(stage, tenant)).toEqual({ x: times });
      stage.platform.clock.advance(HOUR_MS);
    }
  });

  it('belongs to its tenant: the same name is a different timer in another', async () => {
    const [tenant, other] = [await stage.platform.tenant(), await stage.platform.tenant()];
    const worker = await stage.idleWorker();
    const fired: string[] = [];
    worker.get(Automations).timer({
      kind: KIND,
      onBehalf,
      fire: async (key) => void fired.push(`${currentTenant().id} ${key}`),
    });
    await set(stage, tenant, KIND, 'x', inHours(0));
    await set(stage, other, KIND, 'x', inHours(0));
    await cancel(stage, other, KIND, 'x');
    await exhaust(worker);
    expect(fired).toEqual([`${tenant.id} x`]);
  });

  it('is set atomically with its change', async () => {
    const tenant = await stage.platform.tenant();
    const change = commit(stage, tenant, () => [
      timerStatement({ kind: KIND, key: 'x', dueAt: new Date(inHours(0)).toISOString() }),
      { text: 'select 1 / 0', values: [] },
    ]);
    await expect(change).rejects.toThrow('division by zero');
    expect(await runs(stage, tenant)).toEqual([]);
  });

  it('of an unknown kind waits for a worker that knows it, and blocks nothing', async () => {
    const tenant = await stage.platform.tenant();
    const worker = await counting();
    await set(stage, tenant, 'test.unknown', 'x', inHours(-2));
    await set(stage, tenant, KIND, 'y', inHours(-1));
    await exhaust(worker);
    expect(await effects(stage, tenant)).toEqual({ y: 1 });
    expect(await runs(stage, tenant)).toMatchObject([{ state: 'done' }, { kind: 'test.unknown', state: 'ready' }]);
  });
});
