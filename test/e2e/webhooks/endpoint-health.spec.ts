import { Database } from '#libs/database/database.js';
import { HOUR_MS } from '#libs/kernel/durations.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { runAsSystem } from '#libs/tenancy/scope.js';
import { EndpointHealth } from '#libs/webhooks/lanes/endpoint-health.js';
import { FRESH, type LaneHealth } from '#libs/webhooks/lanes/lane-health.js';
import { saveLane } from '#libs/webhooks/lanes/lane-health.repository.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';

let platform: TestPlatform;
let health: EndpointHealth;
beforeAll(async () => {
  platform = await startPlatform();
  health = platform.app.get(EndpointHealth);
});
afterAll(() => platform.close());

interface Endpoint {
  id: string;
  version: number;
  [more: string]: unknown;
}

async function stageOne() {
  const tenant = await platform.tenant();
  const { body } = await tenant.api.post<Endpoint>('/api/webhooks/endpoints', {
    url: 'http://127.0.0.1:9/hook',
    eventTypes: ['*'],
  });
  const path = `/api/webhooks/endpoints/${body.id}`;
  return { tenant, id: body.id, path, read: async () => (await tenant.api.get<Endpoint>(path)).body };
}

/** Runs as the worker does for the tenant. */
const as = <T>({ id, slug }: TestTenant, work: () => Promise<T>): Promise<T> =>
  runAsSystem({ id, slug, plan: 'enterprise', currency: 'EUR', epoch: '1' }, 'webhook delivery', uuidv7(), work);

async function trail(tenant: TestTenant, id: string) {
  const { body } = await tenant.api.get<{ data: { action: string; actor: object }[] }>(
    `/api/admin/audit-logs?targetId=${id}`,
  );
  return body.data.map(({ action, actor }) => ({ action, actor }));
}

describe('an endpoint that keeps failing permanently', () => {
  it.each(['endpoint_gone', 'endpoint_request', 'failing'] as const)(
    'is disabled once by the platform: %s',
    async (reason) => {
      const { tenant, id, read } = await stageOne();
      for (let each = 0; each < 2; each++) await as(tenant, () => health.disable(id, reason));
      expect(await read()).toMatchObject({
        status: 'disabled',
        disabledReason: reason,
        version: 2,
        updatedBy: { type: 'system', id: null, name: 'webhook delivery' },
      });
      expect(await trail(tenant, id)).toMatchObject([
        { action: 'webhook.endpoint.disabled', actor: { type: 'system' } },
        { action: 'webhook.endpoint.created' },
      ]);
    },
  );

  it('keeps the state set by its owner when it is no longer enabled', async () => {
    const { tenant, id, path, read } = await stageOne();
    await tenant.api.post(`${path}/pause`);
    const lockEnabled = () =>
      as(tenant, () => platform.app.get(Database).transaction((transaction) => health.lockEnabled(transaction, id)));
    expect(await lockEnabled()).toBe(false);
    await as(tenant, () => health.disable(id, 'failing'));
    expect(await read()).toMatchObject({ status: 'paused', version: 2 });
    await tenant.api.post(`${path}/enable`);
    expect(await lockEnabled()).toBe(true);
    await tenant.api.delete(path);
    expect(await lockEnabled()).toBe(false);
    await as(tenant, () => health.disable(id, 'failing'));
    await as(tenant, () => health.disable(uuidv7(), 'failing'));
    expect((await trail(tenant, id))[0]).toMatchObject({ action: 'webhook.endpoint.deleted' });
  });
});

describe('notifications about the health of an endpoint', () => {
  const failing = (): LaneHealth => {
    const sinceMs = platform.clock.nowMs() - HOUR_MS;
    return { ...FRESH, failingSinceMs: sinceMs, failedAttempts: 4, warnings: 1, lastFailureAtMs: sinceMs + 1_000 };
  };
  const announce = (tenant: TestTenant, id: string, event: 'failing' | 'recovered', [before, after]: LaneHealth[]) =>
    as(tenant, () =>
      platform.app.get(Database).transaction(async (transaction) => {
        const save = saveLane(tenant.id, id, after!);
        await health.announce(transaction, id, event, { save, before: before!, after: after! });
      }),
    );

  it('are an event and an audit entry, without a change of the endpoint', async () => {
    const { tenant, id, read } = await stageOne();
    const bad = failing();
    await announce(tenant, id, 'failing', [{ ...bad, warnings: 0 }, bad]);
    const failingSince = new Date(bad.failingSinceMs!).toISOString();
    const willDisableAt = new Date(bad.failingSinceMs! + 120 * HOUR_MS).toISOString();
    expect(await read()).toMatchObject({ version: 1, health: { status: 'failing', failingSince, willDisableAt } });
    await announce(tenant, id, 'recovered', [bad, FRESH]);
    expect(await read()).toMatchObject({ version: 1, health: { status: 'healthy', willDisableAt: null } });
    expect((await trail(tenant, id)).map(({ action }) => action)).toEqual([
      'webhook.endpoint.recovered',
      'webhook.endpoint.failing',
      'webhook.endpoint.created',
    ]);
    const events = await tenant.api.get<{ data: object[] }>(`/api/admin/audit-logs?targetId=${id}`);
    expect(events.body.data[0]).toMatchObject({ riskLevel: 'low', changes: { health: { to: { status: 'healthy' } } } });
  });

  it('are not sent while it is not enabled', async () => {
    const { tenant, id, path, read } = await stageOne();
    await tenant.api.post(`${path}/disable`);
    const bad = failing();
    await announce(tenant, id, 'failing', [FRESH, bad]);
    expect(await read()).toMatchObject({ health: { status: 'failing', willDisableAt: null } });
    expect((await trail(tenant, id))[0]).toMatchObject({ action: 'webhook.endpoint.disabled' });
  });
});
