import { SECOND_MS } from '#libs/kernel/durations.js';
import { EventRelay } from '#libs/webhooks/relay/event.relay.js';
import { Automations } from '#libs/automation/automations.js';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { Database } from '#libs/database/database.js';
import { Problem } from '#libs/kernel/problem.js';
import { NumberSeries } from '#libs/resource/records/number-series.js';
import { until } from '#libs/testing/until.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import { statement } from '#libs/database/statement.js';
import { AutomationWorker } from '#libs/automation/automation-worker.js';
import {
  affect,
  commit,
  effects,
  emit,
  exhaust,
  flow,
  forgetRuns,
  HAPPENED,
  happened,
  onBehalf,
  runs,
} from './automation-stage.js';
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

const states = async (tenant: Parameters<typeof runs>[1]) => (await runs(stage, tenant)).map(({ state }) => state);

async function idle() {
  const worker = await stage.idleWorker();
  return { worker, relay: worker.get(EventRelay), automations: worker.get(AutomationWorker) };
}

describe('a flow', () => {
  it('has its effect once per event with several running workers', async () => {
    const tenant = await stage.platform.tenant();
    const workers = await Promise.all(Array.from({ length: 3 }, () => stage.idleWorker()));
    for (const worker of workers) flow(worker, ({ subject }) => affect(worker, subject.id));
    const subjects = Array.from({ length: 30 }, (_, i) => `thing ${String(i).padStart(2, '0')}`);
    await emit(stage, tenant, ...subjects);
    await Promise.all(
      workers.flatMap((worker) => [worker.get(EventRelay).dispatch(tenant.id), worker.get(AutomationWorker).pass()]),
    );
    await Promise.all(workers.map((worker) => exhaust(worker)));
    expect(await effects(stage, tenant)).toEqual(Object.fromEntries(subjects.map((subject) => [subject, 1])));
    expect(new Set(await states(tenant))).toEqual(new Set(['done']));
  });

  it('receives the event as emitted, and acts for its tenant with every permission', async () => {
    const [tenant, other] = [await stage.platform.tenant(), await stage.platform.tenant()];
    for (const { api } of [tenant, other]) await api.post('/api/v1/sales/accounts', { name: 'Acme' });
    const { worker, relay } = await idle();
    const seen = new Map<string, unknown>();
    flow(worker, async (event) => {
      const [row] = await worker
        .get(Database)
        .read<{ count: number }>(statement('select count(distinct tenant_id) as count from data.sales_accounts'));
      const mayWrite = currentPrincipal().permissions.has('deals:write');
      const { actor, correlationId } = currentScope();
      const isCorrelated = correlationId === event.requestId; // the event is the first of its chain
      seen.set(currentTenant().id, { event, actor, isCorrelated, tenants: row!.count, mayWrite });
    });
    await commit(stage, tenant, () => [happened('thing', { size: 3 })]);
    await emit(stage, other, 'other thing');
    await relay.pass();
    await exhaust(worker);
    expect(seen.size).toBe(2);
    expect(seen.get(tenant.id)).toMatchObject({
      actor: { type: 'automation', id: null, name: 'test.flow' },
      isCorrelated: true,
      tenants: 1,
      mayWrite: true,
      event: { sequence: '2', tenantId: tenant.id, subject: { id: 'thing' }, data: { size: 3 }, depth: 0 },
    });
    expect(seen.get(other.id)).toMatchObject({ tenants: 1, event: { subject: { id: 'other thing' } } });
  });

  it('accesses no row of another tenant, not even by id', async () => {
    const [tenant, other] = [await stage.platform.tenant(), await stage.platform.tenant()];
    const { worker, relay } = await idle();
    const steal = `update data.number_series set next = 99 where tenant_id = $1`;
    let reached: unknown;
    flow(worker, async () => {
      reached = await worker
        .get(Database)
        .transaction((transaction) => transaction.query(statement(`${steal} returning next`, [other.id])));
    });
    await commit(stage, other, () => [
      statement(`insert into data.number_series (tenant_id, series, next) values ($1, 'mine', 1)`, [other.id]),
    ]);
    await emit(stage, tenant, 'thing');
    await relay.pass();
    await exhaust(worker);
    expect(reached).toEqual([]);
    expect(await effects(stage, other)).toEqual({ mine: 1 });
  });

  it('whose worker dies midway has no effect, and another worker runs it', async () => {
    const tenant = await stage.platform.tenant();
    const [dying, living] = [await idle(), await idle()];
    let revive: () => void = () => undefined;
    let backend = 0;
    flow(dying.worker, async () => {
      await affect(dying.worker, 'effect');
      const [row] = await dying.worker.get(Database).read<{ pid: number }>(statement('select pg_backend_pid() as pid'));
      backend = row!.pid;
      await new Promise<void>((resolve) => (revive = resolve));
    });
    flow(living.worker, () => affect(living.worker, 'effect'));
    await emit(stage, tenant, 'thing');
    await dying.relay.pass();
    const died = dying.automations.pass();
    await until(() => backend > 0);
    await living.automations.pass(); // the run belongs to another worker
    expect(await effects(stage, tenant)).toEqual({});
    await stage.sql('select pg_terminate_backend($1)', [backend]);
    await until(async () => (await living.automations.pass()) === 'some');
    revive();
    await died;
    expect(await effects(stage, tenant)).toEqual({ effect: 1 });
    expect(await runs(stage, tenant)).toMatchObject([{ state: 'done', attempts: 0, error_code: null }]);
  });

  it('that is running when its worker stops completes, and no other is started', async () => {
    const tenant = await stage.platform.tenant();
    const worker = await stage.worker();
    let end: () => void = () => undefined;
    let begun = 0;
    flow(worker, async () => {
      await affect(worker, 'effect');
      begun++;
      await new Promise<void>((resolve) => (end = resolve));
    });
    await emit(stage, tenant, 'one', 'two');
    await until(() => begun === 1);
    const stopped = worker.get(AutomationWorker).stop();
    end();
    await stopped;
    expect(await effects(stage, tenant)).toEqual({ effect: 1 });
    expect(await states(tenant)).toEqual(['done', 'ready']);
  });

  it('that fails changes nothing, is retried with backoff, and finally fails with its reason', async () => {
    const tenant = await stage.platform.tenant();
    const { worker, relay } = await idle();
    let tries = 0;
    flow(worker, async () => {
      tries++;
      await affect(worker, 'effect');
      if (tries === 2) throw new Error('a bug');
      throw new Problem('record_locked', 'The thing is locked.');
    });
    await emit(stage, tenant, 'thing');
    await relay.pass();
    const pauses = [5, 30, 120, 600, 3_600, 3_600, 3_600, 3_600, 3_600];
    for (const [index, seconds] of pauses.entries()) {
      await exhaust(worker);
      expect(tries).toBe(index + 1);
      const [run] = await runs(stage, tenant);
      expect(run).toMatchObject(
        index === 1
          ? { state: 'waiting', attempts: 2, error_code: 'internal_error', error_detail: 'a bug' }
          : {
              state: 'waiting',
              attempts: index + 1,
              error_code: 'record_locked',
              error_detail: 'The thing is locked.',
            },
      );
      const waitMs = run!.due_at.getTime() - stage.platform.clock.nowMs();
      expect(waitMs).toBeGreaterThan((seconds - 5) * SECOND_MS);
      expect(waitMs).toBeLessThanOrEqual(seconds * SECOND_MS);
      stage.platform.clock.advance(waitMs);
    }
    await exhaust(worker);
    expect(await runs(stage, tenant)).toMatchObject([{ state: 'failed', attempts: 10, error_code: 'record_locked' }]);
    stage.platform.clock.advance(24 * 3_600 * SECOND_MS);
    await exhaust(worker);
    expect(tries).toBe(10);
    expect(await effects(stage, tenant)).toEqual({});
  });

  it('that breaks a deferred constraint fails like any other', async () => {
    const tenant = await stage.platform.tenant();
    const { worker, relay } = await idle();
    await stage.sql(`create table if not exists data.test_pairs (tenant_id uuid, n integer,
      unique (tenant_id, n) deferrable initially deferred)`);
    await stage.sql(`grant insert on data.test_pairs to public`);
    flow(worker, async () => {
      const pair = statement('insert into data.test_pairs values ($1, 1), ($1, 1)', [tenant.id]);
      await worker.get(Database).transaction((transaction) => transaction.query(pair));
    });
    await emit(stage, tenant, 'thing');
    await relay.pass();
    await exhaust(worker);
    expect(await runs(stage, tenant)).toMatchObject([{ state: 'waiting', attempts: 1, error_code: 'internal_error' }]);
    await stage.sql('drop table data.test_pairs');
  });

  it('receives the events of one subject in order, independently of other subjects', async () => {
    const tenant = await stage.platform.tenant();
    const { worker, relay } = await idle();
    const seen: string[] = [];
    let broken = true;
    flow(worker, async ({ subject, sequence }) => {
      if (broken && subject.id === 'a') throw new Error('not yet');
      seen.push(`${subject.id}${sequence}`);
    });
    await emit(stage, tenant, 'a', 'b', 'a', 'b');
    await relay.pass();
    await exhaust(worker);
    expect(seen).toEqual(['b2', 'b4']);
    expect(await states(tenant)).toEqual(['waiting', 'done', 'ready', 'done']);
    broken = false;
    stage.platform.clock.advance(5 * SECOND_MS);
    await exhaust(worker);
    expect(seen).toEqual(['b2', 'b4', 'a1', 'a3']);
  });

  it('that triggers itself through its events ends at a maximum depth', async () => {
    const tenant = await stage.platform.tenant();
    const { worker, relay } = await idle();
    const depths: number[] = [];
    flow(worker, async ({ depth }) => {
      depths.push(depth);
      await worker.get(Database).transaction(async (transaction) => transaction.write(happened('thing')));
    });
    await emit(stage, tenant, 'thing');
    for (let round = 0; round < 12; round++) {
      await relay.pass();
      await exhaust(worker);
    }
    expect(depths).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    const events = await stage.sql<{ id: string; depth: number; causation_id: string | null }>(
      'select id, depth, causation_id from data.events where tenant_id = $1 and type = $2 order by id',
      [tenant.id, HAPPENED],
    );
    expect(events.map(({ depth }) => depth)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(events.map((event) => event.causation_id)).toEqual([null, ...events.slice(0, 8).map(({ id }) => id)]);
    expect((await runs(stage, tenant)).at(-1)).toMatchObject({ state: 'failed', error_code: 'loop', attempts: 1 });
  });

  it('runs tenants in turn, however many events one has', async () => {
    const [hog, small] = [await stage.platform.tenant(), await stage.platform.tenant()];
    const { worker, relay } = await idle();
    flow(worker, () => affect(worker, 'effect'));
    await emit(stage, hog, ...Array.from({ length: 25 }, (_, i) => `thing ${i}`));
    await emit(stage, small, 'thing');
    await relay.pass();
    await worker.get(AutomationWorker).pass();
    expect(await effects(stage, small)).toEqual({ effect: 1 });
    expect(await effects(stage, hog)).toEqual({ effect: 10 });
  });

  it('can take numbers for the records that it creates', async () => {
    const tenant = await stage.platform.tenant();
    const workers = [await idle(), await idle()];
    const taken: number[] = [];
    for (const { worker } of workers)
      flow(worker, async () => {
        const numbers = worker.get(NumberSeries);
        const own = [await numbers.next('test'), await numbers.next('test')];
        taken.push(...own);
      });
    await emit(stage, tenant, ...Array.from({ length: 8 }, (_, i) => `thing ${i}`));
    await workers[0]!.relay.pass();
    await Promise.all(workers.map(({ worker }) => exhaust(worker)));
    expect([taken.length, new Set(taken).size]).toEqual([16, 16]);
  });

  it('has a unique name', async () => {
    const worker = await stage.idleWorker();
    flow(worker, async () => undefined);
    expect(() => flow(worker, async () => undefined)).toThrow('registered twice');
    expect(() => worker.get(Automations).timer({ kind: 'test.flow', onBehalf, fire: async () => undefined })).toThrow(
      'registered twice',
    );
  });
});
