import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { asAdmin } from '../../harness/database.js';
import { act, makeDeal } from '../sales/deal-calls.js';

const PATH = '/api/process-intelligence/time-in-state';
const SPAN = '&from=2026-03-01&to=2026-03-31';

interface StateTime {
  object: string;
  state: string;
  stage: string | null;
  visits: number;
  p50Seconds: number;
  p90Seconds: number;
  meanSeconds: number;
}

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());

/** Transitions as stored by the kit, with given durations. */
async function moves(tenant: TestTenant, seconds: number[], state: string, at = '2026-03-10T12:00:00Z'): Promise<void> {
  await asAdmin(
    platform.database,
    `insert into data.record_transitions (tenant_id, id, object, record_id, action, from_state, to_state, actor,
       request_id, occurred_at, seconds_in_from_state)
     select $1, gen_random_uuid(), 'sales.deal', gen_random_uuid(), 'win', $2, 'won', '{}', 'req', $3, s
     from unnest($4::bigint[]) s`,
    [tenant.id, state, at, seconds],
  );
}

async function measured(tenant: TestTenant, query: string): Promise<StateTime[]> {
  const answer = await tenant.api.get<{ data: StateTime[] }>(`${PATH}?${query}`);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.data;
}

describe('time in state', () => {
  it('is measured from actual transitions', async () => {
    const tenant = await platform.tenant();
    const { id } = await makeDeal(tenant.api);
    platform.clock.advance(7_200_000);
    await act(tenant.api, id, 'move', { stage: 'proposal' });
    platform.clock.advance(3_600_000);
    await act(tenant.api, id, 'win');
    const stays = await measured(tenant, 'object=sales.deal');
    expect(stays.map(({ state, stage, visits }) => [state, stage, visits])).toEqual([
      ['open', 'proposal', 1],
      ['open', 'qualification', 1],
    ]);
    expect(stays[0]!.p50Seconds).toBeGreaterThanOrEqual(3_600);
    expect(stays[0]!.p50Seconds).toBeLessThan(3_660);
    expect(stays[1]!.meanSeconds).toBeGreaterThanOrEqual(7_200);
    expect(stays[1]!.meanSeconds).toBeLessThan(7_260);
  });

  it('has median, 90th percentile and mean of every state', async () => {
    const tenant = await platform.tenant();
    await moves(tenant, [10, 20, 30, 40, 50, 60, 70, 80, 90, 1_000], 'open');
    await moves(tenant, [5], 'lost');
    expect(await measured(tenant, `object=sales.deal${SPAN}`)).toEqual([
      { object: 'sales.deal', state: 'lost', stage: null, visits: 1, p50Seconds: 5, p90Seconds: 5, meanSeconds: 5 },
      {
        object: 'sales.deal',
        state: 'open',
        stage: null,
        visits: 10,
        p50Seconds: 50,
        p90Seconds: 90,
        meanSeconds: 145,
      },
    ]);
  });

  it('counts stays that ended within the span, including first and last day', async () => {
    const tenant = await platform.tenant();
    for (const at of [
      '2026-02-28T23:59:59.999Z',
      '2026-03-01T00:00:00Z',
      '2026-03-31T23:59:59.999Z',
      '2026-04-01T00:00:00Z',
    ])
      await moves(tenant, [1], 'open', at);
    expect(await measured(tenant, `object=sales.deal${SPAN}`)).toMatchObject([{ visits: 2 }]);
    expect(await measured(tenant, 'from=2026-03-01&to=2026-03-01')).toMatchObject([{ visits: 1 }]);
  });

  it('stays within the tenant', async () => {
    await moves(await platform.tenant(), [1], 'open');
    expect(await measured(await platform.tenant(), `object=sales.deal${SPAN}`)).toEqual([]);
  });

  it('requires permission to read the records', async () => {
    const tenant = await platform.tenant();
    await moves(tenant, [1], 'open');
    const scope = 'process-intelligence:read';
    const blind = await platform.key(tenant, [scope]);
    expect(await blind.get(`${PATH}?object=sales.deal`)).toMatchObject({
      status: 403,
      body: { requiredPermission: 'deals:read' },
    });
    expect((await blind.get(`${PATH}?${SPAN.slice(1)}`)).body).toMatchObject({ data: [] });
    const reader = await platform.key(tenant, [scope, 'deals:read']);
    expect((await reader.get<{ data: object[] }>(`${PATH}?${SPAN.slice(1)}`)).body.data).toHaveLength(1);
    expect((await (await platform.key(tenant, ['deals:read'])).get(PATH)).status).toBe(403);
  });

  it('refuses invalid types and spans', async () => {
    const { api } = await platform.tenant();
    for (const [query, parameter] of [
      ['object=sales.nothing', 'object'],
      ['object=Deals', 'object'],
      ['from=2026-03-02&to=2026-03-01', 'from'],
      ['from=2024-01-01&to=2026-03-01', 'from'],
    ])
      expect(await api.get(`${PATH}?${query}`)).toMatchObject({ status: 400, body: { errors: [{ parameter }] } });
  });
});
