import type { ServerResponse } from 'node:http';
import { until } from '#libs/testing/until.js';
import { SLOW_MS } from '#libs/webhooks/lanes/lane-health.js';
import type { TestTenant } from '../harness/platform.js';
import type { Receiver } from './receiver.js';
import { BACKENDS, Stage, type TestEndpoint } from './stage.js';

const PLACES = 8;
/** A quarter of the slots. */
const SLOW_PLACES = 2;
/** Deliveries to it that are due at once, far more than slots. */
const BACKLOG = 2 * PLACES;
/** The 95th percentile of 20 is the second longest: two slow attempts make an endpoint slow. */
const SLOW_ATTEMPTS = 2;

describe.each(BACKENDS)('with the queues on %s', (backend) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open({ WORKER_CONCURRENCY: String(PLACES) }, backend);
    await stage.worker();
  });
  afterAll(() => stage.close());

  const deals = (tenant: TestTenant, count: number) =>
    Promise.all(Array.from({ length: count }, () => stage.deal(tenant)));
  const delivered = (endpoint: TestEndpoint, count: number) =>
    stage.statuses(endpoint, Array<string>(count).fill('delivered'));
  const healthOf = async (tenant: TestTenant, { path }: TestEndpoint) =>
    (await tenant.api.get<{ health: { status: string; slow: boolean } }>(path)).body.health;

  /** Keeps every request open; returns the open ones and their maximum number. */
  function keepOpen(receiver: Receiver): { open: Set<ServerResponse>; most: () => number } {
    const open = new Set<ServerResponse>();
    let most = 0;
    receiver.answer = (_received, response) => {
      most = Math.max(most, open.add(response).size);
      response.on('close', () => open.delete(response));
      return 'open';
    };
    return { open, most: () => most };
  }

  it('an endpoint that responds slowly gets a separate lane, and delays only itself', async () => {
    const tenant = await stage.platform.tenant();
    const receiver = await stage.receiver();
    const slow = await stage.endpoint(tenant, receiver.url, { timeoutMs: 30_000 });
    expect(await healthOf(tenant, slow)).toMatchObject({ status: 'healthy', slow: false });
    receiver.answer = (_received, response) => {
      setTimeout(() => response.writeHead(204).end(), SLOW_MS + 100);
      return 'open';
    };
    await deals(tenant, SLOW_ATTEMPTS);
    await delivered(slow, SLOW_ATTEMPTS);
    const health = await until(async () => {
      const shown = await healthOf(tenant, slow);
      return shown.slow ? shown : null;
    });
    expect(health.status).toBe('slow');

    // All due before those of the other tenant.
    const { open, most } = keepOpen(receiver);
    await deals(tenant, BACKLOG);
    await until(() => open.size === SLOW_PLACES);
    const other = await stage.platform.tenant();
    const quick = await stage.endpoint(other, (await stage.receiver()).url);
    await deals(other, 2 * PLACES);
    await delivered(quick, 2 * PLACES);
    expect(most()).toBe(SLOW_PLACES);
    const backlog = (await stage.deliveries(slow)).slice(SLOW_ATTEMPTS).map(({ status }) => status);
    expect(backlog.filter((status) => status === 'delivered')).toEqual([]);
    expect(backlog.filter((status) => status === 'pending').length).toBeGreaterThan(PLACES);

    // The lane is limited, not closed.
    receiver.answer = { status: 204 };
    for (const response of open) response.writeHead(204).end();
    await delivered(slow, SLOW_ATTEMPTS + BACKLOG);
  });
});
