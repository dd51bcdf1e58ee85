import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { act, makeDeal } from '../sales/deal-calls.js';

const HOUR = 3_600;
const Q = 'open/qualification';
const P = 'open/proposal';

interface Durations {
  p50Seconds: number;
  p90Seconds: number;
  meanSeconds: number;
}

let platform: TestPlatform;
let tenant: TestTenant;
const deals: string[] = [];

beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
  // Two deals are won directly, one goes back once, one waits in a stage, and one has not moved.
  for (const path of [
    ['proposal', 'won'],
    ['proposal', 'won'],
    ['proposal', 'qualification', 'proposal', 'lost'],
    ['proposal'],
    [],
  ])
    deals.push(await deal(path));
});
afterAll(() => platform.close());

/** A deal that moves along a path, one hour after each other. */
async function deal(path: string[]): Promise<string> {
  const { id } = await makeDeal(tenant.api);
  for (const step of path) {
    platform.clock.advance(HOUR * 1_000);
    if (step === 'won') await act(tenant.api, id, 'win');
    else if (step === 'lost') await act(tenant.api, id, 'lose', { lostReason: 'price' });
    else await act(tenant.api, id, 'move', { stage: step });
  }
  return id;
}

async function read<T>(path: string, of: TestTenant = tenant): Promise<T> {
  const answer = await of.api.get<T>(`/api/process-intelligence/processes${path}`);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body;
}

/** Whole hours, because a test takes a few seconds itself. */
const hours = ({ p50Seconds }: Durations): number => Math.round(p50Seconds / HOUR);

describe('processes', () => {
  it('lists every type with several states', async () => {
    const { data } = await read<{ data: { key: string; path: string; closedStates: string[] }[] }>('');
    expect(data.find(({ key }) => key === 'sales.deal')).toMatchObject({
      path: '/api/v1/sales/deals',
      closedStates: ['won', 'lost'],
    });
    expect(data.map(({ key }) => key)).not.toContain('finance.tax_rate');
  });

  it('draws the graph of the moves', async () => {
    const graph = await read<{
      cases: number;
      unmoved: number;
      moves: number;
      nodes: { step: string; visits: number; cases: number; starts: number; current: number; stay: Durations | null }[];
      edges: { from: string; to: string; actions: string[]; count: number; cases: number; wait: Durations }[];
    }>('/sales.deal/graph');
    expect(graph).toMatchObject({ cases: 4, unmoved: 1, moves: 9 });
    expect(graph.nodes.map(({ stay: _, ...node }) => node)).toEqual([
      { step: P, visits: 5, cases: 4, starts: 0, current: 1 },
      { step: Q, visits: 5, cases: 4, starts: 4, current: 0 },
      { step: 'won', visits: 2, cases: 2, starts: 0, current: 2 },
      { step: 'lost', visits: 1, cases: 1, starts: 0, current: 1 },
    ]);
    expect(hours(graph.nodes[0]!.stay!)).toBe(1);
    expect(graph.nodes[2]!.stay).toBeNull();
    expect(graph.edges.map(({ from, to, actions, count, cases }) => [from, to, actions, count, cases])).toEqual([
      [Q, P, ['move'], 5, 4],
      [P, 'won', ['win'], 2, 2],
      [P, 'lost', ['lose'], 1, 1],
      [P, Q, ['move'], 1, 1],
    ]);
    expect(graph.edges.map(({ wait }) => hours(wait))).toEqual([1, 1, 1, 1]);
  });

  it('finds the variants and lists exactly their records', async () => {
    const found = await read<{ variants: number; data: Record<string, never>[] }>('/sales.deal/variants');
    expect(found.variants).toBe(3);
    expect(found.data).toMatchObject([
      { path: [Q, P, 'won'], cases: 2, sharePercent: 50, finished: true },
      { cases: 1, sharePercent: 25 },
      { cases: 1, sharePercent: 25 },
    ]);
    const { data } = await read<{ data: { id: string; durationSeconds: number }[] }>(
      `/sales.deal/cases?variant=${String(found.data[0]!['key'])}`,
    );
    expect(data.map(({ id }) => id)).toEqual([deals[1], deals[0]]);
    expect(Math.round(data[0]!.durationSeconds / HOUR)).toBe(2);
  });

  it('ranks the steps by the time spent in them, including those that wait', async () => {
    platform.clock.advance(100 * HOUR * 1_000);
    const { data } = await read<{ data: Record<string, number>[] }>('/sales.deal/bottlenecks');
    expect(data.map(({ step, stays, waiting }) => [step, stays, waiting])).toEqual([
      [P, 4, 1],
      [Q, 5, 0],
    ]);
    expect(data[0]!['waitingSeconds']! / HOUR).toBeGreaterThanOrEqual(100);
    expect(data[0]!['sharePercent']! + data[1]!['sharePercent']!).toBeCloseTo(100, 2);
    expect(data[0]!['previousP50Seconds']).toBeNull();
  });

  it('measures returns to a step and their cost', async () => {
    const rework = await read<{ data: { lostSeconds: number }[] }>('/sales.deal/rework');
    expect(rework).toMatchObject({ reworkedCases: 1, reworkPercent: 25 });
    expect(rework.data).toMatchObject([
      { from: P, to: Q, count: 1, cases: 1 },
      { from: Q, to: P, count: 1, cases: 1 },
    ]);
    expect(rework.data.map(({ lostSeconds }) => Math.round(lostSeconds / HOUR))).toEqual([1, 1]);
    const { data } = await read<{ data: { id: string }[] }>('/sales.deal/cases?reworked=true');
    expect(data.map(({ id }) => id)).toEqual([deals[2]]);
  });

  it('pages through the cases', async () => {
    const ids: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: { data: { id: string }[]; page: { nextCursor: string | null } } = await read(
        `/sales.deal/cases?limit=3${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
      );
      ids.push(...page.data.map(({ id }) => id));
      cursor = page.page.nextCursor;
    }
    expect(ids).toEqual([deals[3], deals[2], deals[1], deals[0]]);
  });

  it('counts neither records in the trash nor those of other tenants', async () => {
    const other = await platform.tenant();
    expect(await read('/sales.deal/graph', other)).toMatchObject({ cases: 0, unmoved: 0, nodes: [], duration: null });
    const before = await read<{ unmoved: number }>('/sales.deal/graph');
    const { id } = await makeDeal(tenant.api);
    expect(await read('/sales.deal/graph')).toMatchObject({ unmoved: before.unmoved + 1 });
    await tenant.api.delete(`/api/v1/sales/deals/${id}`);
    expect(await read('/sales.deal/graph')).toMatchObject({ unmoved: before.unmoved });
  });

  it('answers 404 for a type that is no process', async () => {
    for (const key of ['finance.tax_rate', 'sales.nothing'])
      expect((await tenant.api.get(`/api/process-intelligence/processes/${key}/graph`)).status).toBe(404);
  });

  it('requires the permission to read the records', async () => {
    const key = await platform.key(tenant, ['process-intelligence:read']);
    expect((await key.get('/api/process-intelligence/processes/sales.deal/graph')).status).toBe(403);
    expect((await key.get<{ data: unknown[] }>('/api/process-intelligence/processes')).body.data).toEqual([]);
  });
});
