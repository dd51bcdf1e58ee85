import { SloUpkeep } from '#src/areas/service-levels/slo/slo-upkeep.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { RequestAccounts } from '#libs/request-counts/request-accounts.js';
import type { TestTenant } from '../harness/platform.js';
import { Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

async function requests({ id }: TestTenant, agoMinutes: number, good: number, bad: number): Promise<void> {
  const at = new Date(stage.platform.clock.nowMs() - agoMinutes * 60_000).toISOString();
  await stage.sql(
    `insert into data.request_minutes (tenant_id, minute, process_id, revision, good, bad, good_latency)
     values ($1, date_trunc('minute', $2::timestamptz), $3, 1, $4::bigint, $5, array[$4::bigint, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]::bigint[])`,
    [id, at, uuidv7(), good, bad],
  );
}

const eventsOf = ({ id }: TestTenant) =>
  stage.sql<{ type: string; data: { key: string; recoveredAt: string | null; alertingSince: string } }>(
    `select type, (envelope::json)->'data' as data from data.events where tenant_id = $1 and type like 'observability.%' order by id`,
    [id],
  );

describe('a burn alert', () => {
  it('is one event per episode, whatever the number of workers and rounds', async () => {
    const tenant = await stage.platform.tenant();
    await tenant.api.get('/api/v1/sales/deals');
    await requests(tenant, 3 * 1_440, 100_000, 0);
    await requests(tenant, 2, 180, 20);
    await stage.platform.app.get(RequestAccounts).flush();
    const workers = await Promise.all([stage.idleWorker(), stage.idleWorker()]);
    const sweep = () => Promise.all(workers.map((worker) => worker.get(SloUpkeep).sweep()));
    await sweep();
    await sweep();
    const alerts = await eventsOf(tenant);
    expect(alerts).toMatchObject([
      { type: 'observability.slo.burn_rate_alert', data: { key: 'api_availability', recoveredAt: null } },
    ]);
    const { body } = await tenant.api.get<{ data: { alertingSince: string }[] }>('/api/admin/slo?key=api_availability');
    expect(body.data[0]!.alertingSince).toBe(alerts[0]!.data.alertingSince);

    stage.platform.clock.advance(7 * 3_600_000);
    await tenant.api.get('/api/v1/sales/deals');
    await stage.platform.app.get(RequestAccounts).flush();
    await sweep();
    await sweep();
    expect((await eventsOf(tenant)).map(({ type }) => type)).toEqual([
      'observability.slo.burn_rate_alert',
      'observability.slo.burn_rate_recovered',
    ]);
  });

  it('does not come for an objective without alerts', async () => {
    const tenant = await stage.platform.tenant();
    await tenant.api.patch('/api/admin/slo', {
      slos: [
        { key: 'api_availability', alerting: false },
        { key: 'api_latency', enabled: false },
      ],
    });
    await requests(tenant, 2, 180, 20);
    await stage.platform.app.get(RequestAccounts).flush();
    await (await stage.idleWorker()).get(SloUpkeep).sweep();
    expect((await eventsOf(tenant)).map(({ type }) => type)).toEqual([
      'observability.slo.updated',
      'observability.slo.updated',
    ]);
  });

  describe.each([
    ['disabled', { enabled: false }],
    ['archived', { archived: true }],
    ['given another indicator', { indicator: { kind: 'availability', routePattern: '/api/v1/work*' } }],
    ['given a longer window', { windowDays: 90 }],
  ])('of an objective that is %s', (_title, change) => {
    it('ends with the change, once', async () => {
      const tenant = await stage.platform.tenant();
      await requests(tenant, 3 * 1_440, 100_000, 0);
      await requests(tenant, 2, 180, 20);
      await tenant.api.get('/api/v1/sales/deals');
      await stage.platform.app.get(RequestAccounts).flush();
      const worker = (await stage.idleWorker()).get(SloUpkeep);
      await worker.sweep();
      const [alert] = await eventsOf(tenant);
      expect(alert).toMatchObject({ type: 'observability.slo.burn_rate_alert', data: { key: 'api_availability' } });
      const changed = await tenant.api.patch<{ data: { alertingSince: string | null }[] }>('/api/admin/slo', {
        key: 'api_availability',
        ...change,
      });
      expect(changed).toMatchObject({ status: 200, body: { data: [{ alertingSince: null }] } });
      const [, recovered, updated, ...rest] = await eventsOf(tenant);
      expect([recovered, updated, rest]).toMatchObject([
        {
          type: 'observability.slo.burn_rate_recovered',
          data: {
            key: 'api_availability',
            alertingSince: alert!.data.alertingSince,
            recoveredAt: expect.any(String) as string,
          },
        },
        { type: 'observability.slo.updated' },
        [],
      ]);
      expect(
        await stage.sql(
          `select action from data.audit_log where tenant_id = $1 and action = 'observability.slo.burn_rate_recovered'`,
          [tenant.id],
        ),
      ).toHaveLength(1);
    });
  });

  it('that was left open by an objective that is disabled ends with the next round', async () => {
    const tenant = await stage.platform.tenant();
    await tenant.api.patch('/api/admin/slo', { key: 'api_availability', enabled: false });
    const [slo] = (await tenant.api.get<{ data: { id: string }[] }>('/api/admin/slo?key=api_availability')).body.data;
    await stage.sql(
      `insert into data.slo_progress (tenant_id, slo_id, counted_to, alerting_since) values ($1, $2, now(), now())`,
      [tenant.id, slo!.id],
    );
    await stage.platform.app.get(RequestAccounts).flush();
    await (await stage.idleWorker()).get(SloUpkeep).sweep();
    expect((await eventsOf(tenant)).map(({ type }) => type)).toEqual([
      'observability.slo.updated',
      'observability.slo.burn_rate_recovered',
    ]);
  });
});
