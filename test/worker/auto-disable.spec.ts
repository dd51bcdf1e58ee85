import { jest } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { EndpointHealth } from '#libs/webhooks/lanes/endpoint-health.js';
import { LaneSweep } from '#libs/webhooks/lanes/lane-sweep.js';
import { until } from '#libs/testing/until.js';
import type { TestTenant } from '../harness/platform.js';
import type { Receiver } from './receiver.js';
import { BACKENDS, Stage, type TestEndpoint } from './stage.js';

interface Staged {
  tenant: TestTenant;
  receiver: Receiver;
  endpoint: TestEndpoint;
}

interface Shown {
  status: string;
  health: { status: string; failingSince: string | null; failedAttempts: number; willDisableAt: string | null };
}

/** A failure whose retry is after the end of any test. */
const REFUSED = { status: 404, headers: { 'retry-after': '3600' } };

/** Endpoints that keep failing: their tenants are warned, and finally they are disabled. */
describe.each(BACKENDS)('with the queues on %s', (backend) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open({}, backend);
  });
  afterAll(() => stage.close());

  async function stageOne(): Promise<Staged> {
    const tenant = await stage.platform.tenant();
    const receiver = await stage.receiver();
    return { tenant, receiver, endpoint: await stage.endpoint(tenant, receiver.url) };
  }

  /** Makes an endpoint appear to have failed for a duration. */
  async function failFor({ endpoint }: Staged, hours: number, failed = 20): Promise<void> {
    await stage.sql(
      `update data.webhook_lanes set failing_since = now() - interval '1 hour' * $2, failed_attempts = $3 where endpoint_id = $1`,
      [endpoint.id, hours, failed],
    );
  }

  const sweep = (worker: INestApplicationContext) => worker.get(LaneSweep).pass();

  /** Events about the health of an endpoint, as the last part of their types. */
  async function told({ endpoint }: Staged): Promise<string[]> {
    const rows = await stage.sql<{ verb: string }>(
      `select split_part(type, '.', 3) as verb from data.events where subject_id = $1
     and type in ('webhook.endpoint.failing', 'webhook.endpoint.recovered', 'webhook.endpoint.disabled') order by id`,
      [endpoint.id],
    );
    return rows.map(({ verb }) => verb);
  }

  const shown = async ({ tenant, endpoint }: Staged) => (await tenant.api.get<Shown>(endpoint.path)).body;

  /** Fails a delivery to an endpoint, and waits until that is recorded. */
  async function refuse(staged: Staged): Promise<Shown['health']> {
    staged.receiver.answer = REFUSED;
    await stage.deal(staged.tenant);
    await stage.statuses(staged.endpoint, ['retrying']);
    return until(async () => {
      const { health } = await shown(staged);
      return health.failedAttempts === 1 ? health : null;
    });
  }

  describe('an endpoint that keeps failing', () => {
    it('causes warnings after 1, 24 and 72 hours, once each, and is disabled after 5 days', async () => {
      const staged = await stageOne();
      const worker = await stage.idleWorker();
      const warnings: number[] = [];
      for (const hours of [0.9, 1, 23, 24, 71, 72, 119]) {
        await failFor(staged, hours);
        await sweep(worker);
        await sweep(worker);
        warnings.push((await told(staged)).length);
      }
      expect(warnings).toEqual([0, 1, 1, 2, 2, 3, 3]);
      expect(await told(staged)).toEqual(['failing', 'failing', 'failing']);

      await failFor(staged, 120, 9);
      await sweep(worker);
      expect(await shown(staged)).toMatchObject({ status: 'enabled', version: 1 });
      await failFor(staged, 120, 10);
      await sweep(worker);
      await sweep(worker);
      expect(await shown(staged)).toMatchObject({ status: 'disabled', disabledReason: 'failing', version: 2 });
      expect(await told(staged)).toEqual(['failing', 'failing', 'failing', 'disabled']);
      const { body } = await staged.tenant.api.get<{ data: object[] }>(
        `/api/admin/audit-logs?targetId=${staged.endpoint.id}`,
      );
      const actor = { type: 'system', name: 'webhook health' };
      expect(body.data.slice(0, 2)).toMatchObject([
        { action: 'webhook.endpoint.disabled', actor },
        { action: 'webhook.endpoint.failing', actor },
      ]);
    });

    it('is ignored while it is paused', async () => {
      const staged = await stageOne();
      await staged.tenant.api.post(`${staged.endpoint.path}/pause`);
      const worker = await stage.idleWorker();
      for (const hours of [2, 121]) {
        await failFor(staged, hours);
        await sweep(worker);
        expect(await shown(staged)).toMatchObject({ status: 'paused', health: { willDisableAt: null } });
      }
      expect(await told(staged)).toEqual([]);
    });
  });

  describe('a warning', () => {
    it('is sent once under concurrent sweeps', async () => {
      const staged = await Promise.all([stageOne(), stageOne(), stageOne()]);
      const workers = [await stage.idleWorker(), await stage.idleWorker()];
      const sweepTogether = () => Promise.all([...workers, ...workers].map((worker) => sweep(worker)));
      for (const each of staged) await failFor(each, 2);
      await sweepTogether();
      for (const each of staged) await failFor(each, 121);
      await sweepTogether();
      for (const each of staged) {
        expect(await told(each)).toEqual(['failing', 'disabled']);
        expect(await shown(each)).toMatchObject({ status: 'disabled', version: 2 });
      }
    });

    it('is sent by a later sweep when one is interrupted', async () => {
      const staged = await stageOne();
      const worker = await stage.idleWorker();
      const health = worker.get(EndpointHealth);
      for (const [hours, method, expected] of [
        [2, 'announce', ['failing']],
        [121, 'disable', ['failing', 'disabled']],
      ] as const) {
        await failFor(staged, hours);
        const real = health[method].bind(health) as (...input: unknown[]) => Promise<void>;
        const broken = jest.spyOn(health, method).mockImplementation(async (...input: unknown[]) => {
          await real(...input);
          throw new Error('the process ends here');
        });
        const before = await told(staged);
        await sweep(worker);
        expect(broken).toHaveBeenCalledTimes(1);
        expect(await told(staged)).toEqual(before);
        broken.mockRestore();
        await sweep(worker);
        await sweep(worker);
        expect(await told(staged)).toEqual(expected);
      }
    });
  });

  describe('with a running worker, an endpoint that keeps failing', () => {
    let worker: INestApplicationContext;
    beforeAll(async () => {
      worker = await stage.worker();
    });

    it('shows the time of disabling in its health and in the warning', async () => {
      const staged = await stageOne();
      const { tenant, endpoint } = staged;
      const health = await refuse(staged);
      expect(health).toMatchObject({ status: 'failing', lastFailureAt: health.failingSince });
      const days = (Date.parse(health.willDisableAt!) - Date.parse(health.failingSince!)) / 86_400_000;
      expect(days).toBe(5);

      const watcher = await stage.receiver();
      const watching = await stage.endpoint(tenant, watcher.url, { eventTypes: ['webhook.endpoint.failing'] });
      stage.platform.clock.advance(3_600_000);
      await sweep(worker);
      stage.platform.clock.advance(-3_600_000);
      await stage.statuses(watching, ['delivered']);
      expect(watcher.received[0]!.event).toMatchObject({
        data: { id: endpoint.id, status: 'enabled', health },
        actor: { type: 'system', name: 'webhook health' },
      });
    });

    it('has its deliveries held, and starts afresh when it is enabled again', async () => {
      const staged = await stageOne();
      const { tenant, receiver, endpoint } = staged;
      await refuse(staged);
      await failFor(staged, 121);
      await sweep(worker);
      await stage.statuses(endpoint, ['held']);
      expect((await shown(staged)).health).toMatchObject({
        status: 'failing',
        failedAttempts: 20,
        willDisableAt: null,
      });

      receiver.answer = { status: 200 };
      const enabled = await tenant.api.post(`${endpoint.path}/enable`);
      expect(enabled.body).toMatchObject({ health: { status: 'healthy', failingSince: null, failedAttempts: 0 } });
      await stage.statuses(endpoint, ['delivered']);
      await sweep(worker);
      expect(await shown(staged)).toMatchObject({
        status: 'enabled',
        health: { status: 'healthy', failingSince: null },
      });
      expect(await told(staged)).toEqual(['disabled']);
    });

    it('is reported as recovered only when it succeeds after a warning', async () => {
      const [warned, failing] = [await stageOne(), await stageOne()];
      for (const each of [warned, failing]) {
        await refuse(each);
        each.receiver.answer = { status: 200 };
      }
      await failFor(warned, 2);
      await sweep(worker);
      for (const { tenant, endpoint } of [warned, failing]) {
        await stage.deal(tenant);
        await until(async () => (await stage.deliveries(endpoint))[1]?.status === 'delivered');
        await stage.deal(tenant);
        await until(async () => (await stage.deliveries(endpoint))[2]?.status === 'delivered');
      }
      await until(async () => (await shown(failing)).health.status === 'healthy');
      await until(async () => (await told(warned)).length === 2);
      expect(await told(warned)).toEqual(['failing', 'recovered']);
      expect(await told(failing)).toEqual([]);
      expect(await shown(warned)).toMatchObject({ version: 1, health: { status: 'healthy' } });
    });
  });

  describe('the response header webhook-delivery', () => {
    it('disables the endpoint, and the accepted delivery is delivered', async () => {
      const staged = await stageOne();
      const { tenant, receiver, endpoint } = staged;
      receiver.answer = { status: 200, headers: { 'webhook-delivery': 'disable' } };
      await stage.deal(tenant);
      await stage.statuses(endpoint, ['delivered']);
      expect(await shown(staged)).toMatchObject({ status: 'disabled', disabledReason: 'endpoint_request' });
      await stage.deal(tenant);
      await stage.statuses(endpoint, ['delivered', 'held']);
    });

    it('ends a failed delivery', async () => {
      const staged = await stageOne();
      const { tenant, receiver, endpoint } = staged;
      receiver.answer = { status: 422, headers: { 'webhook-delivery': 'Abort-Message' } };
      await stage.deal(tenant);
      const [delivery] = await stage.statuses(endpoint, ['exhausted']);
      expect(delivery!.attempts).toBe(1);
      expect(await shown(staged)).toMatchObject({ status: 'enabled' });
    });
  });
});
