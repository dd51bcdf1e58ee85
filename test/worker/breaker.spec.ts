import type { ServerResponse } from 'node:http';
import { until } from '#libs/testing/until.js';
import { LaneHealthRecorder } from '#libs/webhooks/lanes/lane-health.recorder.js';
import { TenantFactsReader } from '#libs/worker/tenant-facts.js';
import type { TestTenant } from '../harness/platform.js';
import type { Receiver } from './receiver.js';
import { BACKENDS, Stage, type TestEndpoint } from './stage.js';

interface Staged {
  tenant: TestTenant;
  receiver: Receiver;
  endpoint: TestEndpoint;
  /** Receives the same events, and accepts them. */
  healthy: TestEndpoint;
}

interface Lane {
  openings: number;
  seconds: number | null;
  failing: boolean;
}

/** A failing endpoint affects only itself. */
describe.each(BACKENDS)('with the queues on %s', (backend) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open({}, backend);
    await stage.worker();
  });
  afterAll(() => stage.close());

  async function stageOne(): Promise<Staged> {
    const tenant = await stage.platform.tenant();
    const receiver = await stage.receiver();
    const endpoint = await stage.endpoint(tenant, receiver.url);
    const healthy = await stage.endpoint(tenant, (await stage.receiver()).url);
    return { tenant, receiver, endpoint, healthy };
  }

  /** The lane of an endpoint; `seconds` between its last failure and the end of its pause. */
  async function laneOf(endpoint: TestEndpoint): Promise<Lane> {
    const [lane] = await stage.sql<Lane>(
      `select openings, extract(epoch from open_until - last_failure_at)::float8 as seconds, failing_since is not null as failing
     from data.webhook_lanes where endpoint_id = $1`,
      [endpoint.id],
    );
    return lane!;
  }

  /** Emits an event and waits until an attempt to deliver it has failed. */
  async function fail({ tenant, endpoint }: Staged): Promise<void> {
    const before = (await stage.deliveries(endpoint)).length;
    await stage.deal(tenant);
    await until(async () => (await stage.deliveries(endpoint))[before]?.status === 'retrying');
    // Only new deliveries must reach the receiver.
    await stage.sql(`update data.webhook_queue set due_at = now() + interval '1 hour' where endpoint_id = $1`, [
      endpoint.id,
    ]);
  }

  /** Fails five events in a row, and waits until the breaker opens. */
  async function open(staged: Staged): Promise<void> {
    staged.receiver.answer = { status: 503 };
    for (let count = 0; count < 5; count++) await fail(staged);
    await until(async () => (await laneOf(staged.endpoint)).openings === 1);
  }

  /** Emits an event and waits until the other endpoint receives it: claims that could have taken both have run. */
  async function dealElsewhere({ tenant, healthy }: Staged): Promise<void> {
    const expected = (await stage.deliveries(healthy)).length + 1;
    await stage.deal(tenant);
    await stage.statuses(healthy, Array<string>(expected).fill('delivered'));
  }

  const endPause = (endpoint: TestEndpoint) =>
    stage.sql(`update data.webhook_lanes set open_until = now() where endpoint_id = $1`, [endpoint.id]);

  const leased = async (endpoint: TestEndpoint) =>
    (
      await stage.sql(`select 1 from data.webhook_queue where endpoint_id = $1 and lease_token is not null`, [
        endpoint.id,
      ])
    ).length;

  const healthOf = async ({ tenant, endpoint }: Staged) =>
    (await tenant.api.get<{ health: object }>(endpoint.path)).body.health;

  describe('after five failures in a row', () => {
    it('deliveries wait without an attempt, and the endpoint shows until when', async () => {
      const staged = await stageOne();
      const { endpoint, receiver } = staged;
      await open(staged);
      expect(await laneOf(endpoint)).toMatchObject({ openings: 1, seconds: 30 });
      await dealElsewhere(staged);
      await dealElsewhere(staged);
      const waiting = (await stage.deliveries(endpoint)).slice(5);
      expect(waiting).toMatchObject([
        { status: 'pending', attempts: 0 },
        { status: 'pending', attempts: 0 },
      ]);
      expect(receiver.received).toHaveLength(5);
      expect(await leased(endpoint)).toBe(0);
      expect(await healthOf(staged)).toMatchObject({
        status: 'open',
        failedAttempts: 5,
        breaker: { state: 'open', openUntil: expect.any(String) },
      });
    });

    it('a single attempt is made after the pause, and its success releases the rest', async () => {
      const staged = await stageOne();
      const { endpoint, receiver } = staged;
      await open(staged);
      await dealElsewhere(staged);
      const answers: ServerResponse[] = [];
      receiver.answer = (_received, response) => {
        answers.push(response);
        return 'open';
      };
      await endPause(endpoint);
      await until(() => answers.length === 1);
      expect(await healthOf(staged)).toMatchObject({
        status: 'failing',
        breaker: { state: 'half_open', openUntil: null },
      });
      await dealElsewhere(staged);
      await dealElsewhere(staged);
      expect(answers).toHaveLength(1);
      expect(await leased(endpoint)).toBe(1);

      receiver.answer = { status: 200 };
      answers[0]!.writeHead(200).end();
      await until(async () =>
        (await stage.deliveries(endpoint)).slice(5).every(({ status }) => status === 'delivered'),
      );
      await until(async () => (await laneOf(endpoint)).openings === 0);
      expect(await laneOf(endpoint)).toEqual({ openings: 0, seconds: null, failing: false });
      expect(await healthOf(staged)).toMatchObject({ status: 'healthy', failingSince: null, willDisableAt: null });
    });

    it('a failure after the pause doubles it, with a single attempt', async () => {
      const staged = await stageOne();
      const { endpoint, receiver } = staged;
      await open(staged);
      await dealElsewhere(staged);
      await dealElsewhere(staged);
      await endPause(endpoint);
      await until(async () => (await laneOf(endpoint)).openings === 2);
      expect(await laneOf(endpoint)).toMatchObject({ openings: 2, seconds: 60 });
      await dealElsewhere(staged);
      expect(receiver.received).toHaveLength(6);
      const attempts = (await stage.deliveries(endpoint)).map((delivery) => delivery.attempts);
      expect(attempts.reduce((sum, each) => sum + each)).toBe(6);
    });
  });

  describe('a requested attempt while the breaker is open', () => {
    const resend = async ({ tenant }: Staged, id: string) =>
      expect((await tenant.api.post(`/api/webhooks/deliveries/${id}/resend`)).status).toBe(202);

    it('is made immediately, and does not change the breaker when it fails', async () => {
      const staged = await stageOne();
      const { endpoint, receiver } = staged;
      await open(staged);
      await dealElsewhere(staged);
      const pause = `select open_until::text as at from data.webhook_lanes where endpoint_id = $1`;
      const before = await stage.sql(pause, [endpoint.id]);
      const [first] = await stage.deliveries(endpoint);
      await resend(staged, first!.id);
      await until(() => receiver.received.length === 6);
      await until(async () => ((await healthOf(staged)) as { failedAttempts: number }).failedAttempts === 6);
      expect(receiver.received[5]!.headers['x-service-delivery']).toBe(first!.id);
      expect(await stage.sql(pause, [endpoint.id])).toEqual(before);
      await dealElsewhere(staged);
      expect(receiver.received).toHaveLength(6);
    });

    it('closes the breaker when it succeeds, and waiting deliveries are sent', async () => {
      const staged = await stageOne();
      const { endpoint, receiver } = staged;
      await open(staged);
      await dealElsewhere(staged);
      const [first] = await stage.deliveries(endpoint);
      receiver.answer = { status: 204 };
      await resend(staged, first!.id);
      await stage.statuses(endpoint, ['delivered', ...Array<string>(4).fill('retrying'), 'delivered']);
      expect(await laneOf(endpoint)).toMatchObject({ openings: 0, seconds: null });
    });
  });

  describe('an endpoint', () => {
    it.each([400, 500])('that rejects deliveries with %d still gets the next ones', async (status) => {
      const staged = await stageOne();
      staged.receiver.answer = { status };
      for (let count = 0; count < 6; count++) await fail(staged);
      expect(await laneOf(staged.endpoint)).toEqual({ openings: 0, seconds: null, failing: true });
      expect(await healthOf(staged)).toMatchObject({ status: 'failing', breaker: { state: 'closed' } });
    });

    it('that sends Retry-After gets no deliveries until then', async () => {
      const staged = await stageOne();
      const { endpoint, receiver } = staged;
      receiver.answer = { status: 429, headers: { 'retry-after': '120' } };
      await fail(staged);
      await until(async () => (await laneOf(endpoint)).failing);
      expect(await laneOf(endpoint)).toMatchObject({ openings: 0, seconds: 120 });
      await dealElsewhere(staged);
      expect(await stage.deliveries(endpoint)).toMatchObject([
        { status: 'retrying', attempts: 1 },
        { status: 'pending', attempts: 0 },
      ]);
      receiver.answer = { status: 200 };
      await endPause(endpoint);
      await stage.statuses(endpoint, ['retrying', 'delivered']);
    });

    it('that is healthy causes no writes', async () => {
      const staged = await stageOne();
      const version = `select xmin::text as version from data.webhook_lanes where endpoint_id = $1`;
      const before = await stage.sql(version, [staged.endpoint.id]);
      await dealElsewhere(staged);
      await dealElsewhere(staged);
      await stage.statuses(staged.endpoint, ['delivered', 'delivered']);
      expect(await stage.sql(version, [staged.endpoint.id])).toEqual(before);
    });

    it('that fails in several workers concurrently has every failure counted', async () => {
      const { tenant, endpoint } = await stageOne();
      const workers = [await stage.idleWorker(), await stage.idleWorker()];
      const recorders = workers.map((worker) => worker.get(LaneHealthRecorder));
      const facts = await workers[0]!.get(TenantFactsReader).find(tenant.id);
      const failure = {
        error: 'http_status',
        httpStatus: 404,
        durationMs: 1,
        retryAfterMs: null,
        troubled: false,
        manual: false,
      };
      for (let round = 0; round < 5; round++)
        await Promise.all(
          recorders.flatMap((recorder) =>
            Array.from({ length: 4 }, () => recorder.record(facts!, { ...failure, endpointId: endpoint.id })),
          ),
        );
      const counted = `select failed_attempts from data.webhook_lanes where endpoint_id = $1`;
      expect(await stage.sql(counted, [endpoint.id])).toEqual([{ failed_attempts: 40 }]);
    });
  });
});
