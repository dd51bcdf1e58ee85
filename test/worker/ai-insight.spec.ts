import { AiStage } from './ai-stage.js';

const stage = await AiStage.open();
afterAll(() => stage.close());

interface Usage {
  budgets: { spentMicros: number; reservedMicros: number; remainingMicros: number; scope: object }[];
  limits: object;
  usage: { key: string | null; jobs: number; inputTokens: number; outputTokens: number; costMicros: number }[];
}

interface Overview {
  health: string;
  killSwitch: boolean;
  pendingApprovals: { count: number; oldestAgeSeconds: number | null; items: { jobId: string }[] };
  jobs: Record<string, number | null>;
  agents: { active: number; paused: number };
  spend: Record<string, number | null>;
  providers: { key: string; reachable: boolean | null; errorRate1h: number | null }[];
  alerts: { code: string; severity: string }[];
}

const overview = async () => (await stage.api.get<Overview>('/api/ai/overview')).body;
const usage = async (query: string, api = stage.api) => (await api.get<Usage>(`/api/ai/usage?${query}`)).body;

it('figures match jobs, calls and the ledger', async () => {
  const model = await stage.model();
  await stage.worker();
  const { api } = stage;
  const agent = await api.post<{ id: string }>('/api/v1/intelligence/agents', { name: 'Scout', ...model });
  await api.post(`/api/v1/intelligence/agents/${agent.body.id}/activate`);
  await api.post('/api/ai/budgets', {
    scope: { type: 'tenant' },
    period: 'month',
    limitMicros: 1_000_000,
    softLimitMicros: 1,
  });
  stage.server.script(
    { text: 'One', usage: { inputTokens: 100, outputTokens: 50 } },
    { text: 'Two', usage: { inputTokens: 200, outputTokens: 10 } },
    { status: 400 },
  );
  const member = await stage.platform.member(stage.tenant, 'Ana');
  const jobs = [
    await stage.over((await stage.job({ ...model, prompt: 'one' })).id),
    await stage.over((await stage.job({ agentId: agent.body.id, prompt: 'two' })).id),
    await stage.over((await stage.job({ ...model, prompt: 'three' }, member.api)).id, member.api),
    await stage.over((await stage.job({ kind: 'text.summarize', provider: 'local', model: 'local-1', input: { text: 'Acme has signed. The price stays.' } })).id), // prettier-ignore
  ];
  expect(jobs.map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'failed', 'succeeded']);
  const waiting = await stage.job({ ...model, prompt: 'four', approval: 'required' });
  const [first, second] = jobs.map(({ actualCostMicros }) => actualCostMicros) as [number, number];
  const spent = jobs.reduce((sum, { actualCostMicros }) => sum + actualCostMicros, 0);
  expect([first, second]).toEqual([200, 220]);

  const byDay = await usage('groupBy=day');
  expect(byDay.usage).toHaveLength(30);
  expect(byDay.usage.at(-1)).toMatchObject({ jobs: 5, costMicros: spent });
  expect(byDay.budgets).toMatchObject([{ spentMicros: spent, reservedMicros: waiting.reservedCostMicros }]);
  const byAgent = await usage('groupBy=agent');
  expect(byAgent.usage).toContainEqual({
    key: agent.body.id,
    jobs: 1,
    inputTokens: 200,
    outputTokens: 10,
    costMicros: 220,
  });
  const byModel = await usage('groupBy=model');
  expect(byModel.usage.find(({ key }) => key === `${model.provider}/${model.model}`)).toMatchObject({
    jobs: 4,
    costMicros: spent,
  });
  const byMember = await usage('groupBy=member');
  expect(byMember.usage.find(({ key }) => key === member.id)).toMatchObject({ jobs: 1 });
  const byKind = await usage('groupBy=kind');
  expect(byKind.usage.find(({ key }) => key === 'text.summarize')).toMatchObject({ jobs: 1, costMicros: 0 });
  const own = await platformKey(member.id);
  expect((await usage('groupBy=model', own)).usage).toMatchObject([{ jobs: 1 }]);
  expect((await usage('groupBy=model', own)).budgets).toEqual([]);

  const seen = await overview();
  expect(seen).toMatchObject({
    health: 'degraded',
    killSwitch: false,
    pendingApprovals: { count: 1, items: [{ jobId: waiting.id }] },
    jobs: { queued: 0, running: 0, succeeded24h: 3, failed24h: 1, overCap24h: 0 },
    agents: { active: 1, paused: 0 },
    spend: { todayMicros: spent, monthMicros: spent, budgetMicros: 1_000_000 },
  });
  expect(seen.jobs['p95LatencyMs']!).toBeGreaterThanOrEqual(seen.jobs['p50LatencyMs']!);
  expect(seen.spend['forecastMonthMicros']!).toBeGreaterThanOrEqual(spent);
  expect(seen.providers).toContainEqual({ key: model.provider, reachable: false, errorRate1h: 0.33333 });
  expect(seen.alerts.map(({ code }) => code)).toEqual(['provider_failing', 'budget_threshold_reached']);
  await api.post('/api/ai/pause', { reason: 'test' });
  expect(await overview()).toMatchObject({ health: 'paused', killSwitch: true });
  await api.post('/api/ai/resume', { reason: 'test' });

  const read = await api.get<{ stats: object }>(`/api/v1/intelligence/agents/${agent.body.id}`);
  expect(read.body.stats).toEqual({
    jobs30d: 1,
    successRate: 1,
    avgCostMicros: 220,
    p95LatencyMs: expect.any(Number) as number,
    acceptedSuggestionRate: null,
  });
  const developer = await api.get<{ ai: object }>('/api/v1/developer/usage');
  expect(developer.body.ai).toEqual({ costMicros: spent });
});

it('usage covers at most 92 days in a valid range', async () => {
  for (const query of ['from=2026-01-01&to=2026-11-01', 'from=2026-02-02&to=2026-02-01'])
    expect((await stage.api.get(`/api/ai/usage?${query}`)).status).toBe(400);
});

it('the overview requires permission to read all jobs', async () => {
  const key = await stage.platform.key(stage.tenant, ['ai-jobs:read']);
  expect((await key.get('/api/ai/overview')).status).toBe(403);
  expect((await key.get('/api/ai/usage')).status).toBe(200);
});

function platformKey(memberId: string) {
  return stage.platform.key(stage.tenant, ['ai-jobs:read'], { memberId });
}
