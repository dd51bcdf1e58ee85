import { jest } from '@jest/globals';
import { Problem } from '#libs/kernel/problem.js';
import { MetricCatalogue } from '#libs/measures/metric-catalogue.js';
import { Measurements } from '#libs/measures/measurements.js';
import type { Home } from '#src/areas/home/start/home.dto.js';
import { USUAL_TILES } from '#src/areas/home/start/tiles.js';
import type { Client } from '../../harness/client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { act, makeDeal } from '../sales/deal-calls.js';

const HOME = '/api/home';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => platform.close());

async function tilesOf(api: Client) {
  const { status, body, text } = await api.get<Home>(HOME);
  if (status !== 200) throw new Error(text);
  expect(body.scorecards!.error).toBeNull();
  return body.scorecards!.data!;
}

describe('the tiles', () => {
  it('are metrics of the catalogue', async () => {
    const { api } = await platform.tenant();
    const known = platform.app.get(MetricCatalogue).all();
    expect(known.map(({ key }) => key)).toEqual(expect.arrayContaining([...USUAL_TILES]));
    expect((await tilesOf(api)).map(({ key }) => key).sort()).toEqual([...USUAL_TILES].sort());
  });

  it('begin with those that have a target', async () => {
    const { api } = await platform.tenant();
    const targets = { utilisation: 70 };
    expect(await api.patch('/api/admin/settings', { scorecards: { targets, minSample: 1 } })).toMatchObject({
      status: 200,
    });
    const tiles = await tilesOf(api);
    expect(tiles[0]).toMatchObject({ key: 'utilisation', target: 70, value: null, rating: 'no_data' });
    expect(tiles).toHaveLength(12);
  });

  it('count what the caller sees, which the drill-down lists', async () => {
    const tenant = await platform.tenant();
    await tenant.api.patch('/api/admin/settings', { scorecards: { minSample: 1 } });
    await act(tenant.api, (await makeDeal(tenant.api)).id, 'win');
    await makeDeal(tenant.api, { valueMinor: 900, currency: 'USD' });
    const seller = await platform.key(tenant, ['deals:read']);
    const tiles = await tilesOf(seller);
    expect(tiles.map(({ key }) => key)).toEqual(['won_value', 'win_rate', 'pipeline_value']);
    expect(tiles.find(({ key }) => key === 'win_rate')).toMatchObject({ value: 100, sampleSize: 1, previous: null });
    const pipeline = tiles.find(({ key }) => key === 'pipeline_value')!;
    expect(pipeline.value).toEqual([{ currency: 'USD', minor: 900 }]);
    const listed = await seller.get<{ data: object[] }>(pipeline.drillDown);
    expect(listed.body.data).toHaveLength(pipeline.sampleSize);
  });

  it('are limited to the workspaces of a member', async () => {
    const tenant = await platform.tenant();
    const workspace = await tenant.api.post<{ id: string }>('/api/admin/workspaces', { name: 'North', key: 'NORTH' });
    await makeDeal(tenant.api, { workspaceId: workspace.body.id });
    await makeDeal(tenant.api, { workspaceId: workspace.body.id });
    await makeDeal(tenant.api);
    const { api } = await platform.member(tenant, 'Vera', ['*'], {
      roles: ['viewer'],
      workspaces: { [workspace.body.id]: 'member' },
    });
    const pipeline = (await tilesOf(api)).find(({ key }) => key === 'pipeline_value')!;
    expect(pipeline.sampleSize).toBe(2);
    expect((await api.get<{ data: object[] }>(pipeline.drillDown)).body.data).toHaveLength(2);
  });
});

it('a block that cannot be read has an error', async () => {
  const { api } = await platform.tenant();
  jest.spyOn(platform.app.get(Measurements), 'of').mockRejectedValue(new Problem('unavailable', 'Try again.'));
  expect(await api.get(HOME)).toMatchObject({
    status: 200,
    body: { scorecards: { data: null, error: { code: 'unavailable', detail: 'Try again.' } } },
  });
});
