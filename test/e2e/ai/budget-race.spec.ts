import { uuidv7 } from '#libs/kernel/id.js';
import { Purse } from '../../harness/ai-money.js';
import type { Client } from '../../harness/client.js';
import { startPlatform } from '../../harness/platform.js';

const platform = await startPlatform();
afterAll(() => platform.close());

interface Job {
  id: string;
  status: string;
  reservedCostMicros: number;
}

/** A model with a price that is never called. Without a worker, jobs keep their state. */
async function pricedModel(api: Client): Promise<{ provider: string; model: string }> {
  const provider = `p-${uuidv7().slice(-12)}`;
  const price = { inputMicrosPer1k: 1_000, outputMicrosPer1k: 2_000 };
  const limits = { contextTokens: 8_000, maxOutputTokens: 1_000 };
  await api.post('/api/ai/providers', { key: provider, api: 'openai', baseUrl: 'http://127.0.0.1:9/v1' });
  const model = await api.post('/api/ai/models', { provider, key: 'm', ...limits, prices: [price] });
  expect(model.status).toBeLessThan(300);
  platform.clock.advance(1_000);
  return { provider, model: 'm' };
}

it('32 concurrent clients get exactly as many jobs as a hard budget allows', async () => {
  const tenant = await platform.tenant();
  const own = new Purse(platform, tenant);
  await tenant.api.patch('/api/ai/policy', { ratePerMinute: 10_000 });
  const body = { ...(await pricedModel(tenant.api)), prompt: 'Name three fruits.', maxOutputTokens: 100 };
  const first = await tenant.api.post<Job>('/api/ai/jobs', body);
  expect(first.status).toBe(201);
  const each = first.body.reservedCostMicros;
  expect(each).toBeGreaterThan(0);
  const room = 60;
  const budget = await own.budget({ limitMicros: each * room + each - 1 });
  const answers = (
    await Promise.all(
      Array.from({ length: 32 }, async () => {
        const own = [];
        for (let i = 0; i < 4; i++) own.push(await tenant.api.post<Job>('/api/ai/jobs', body));
        return own;
      }),
    )
  ).flat();
  const made = answers.filter(({ status }) => status === 201);
  expect(made).toHaveLength(room);
  for (const refused of answers.filter(({ status }) => status !== 201)) {
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({ code: 'budget_exhausted', budget: { id: budget }, remaining: each - 1 });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  const state = await tenant.api.get(`/api/ai/budgets/${budget}`);
  expect(state.body).toMatchObject({ reservedMicros: each * room, spentMicros: 0, remainingMicros: each - 1 });
  const jobs = await tenant.api.get<{ data: Job[] }>('/api/ai/jobs?limit=200');
  expect(jobs.body.data).toHaveLength(room + 1);
  await tenant.api.post(`/api/ai/jobs/${made[0]!.body.id}/cancel`, { reason: 'makes room' });
  expect((await tenant.api.post('/api/ai/jobs', body)).status).toBe(201);
  expect((await tenant.api.post('/api/ai/jobs', body)).status).toBe(429);
  expect(await own.mismatches()).toEqual([]);
});

it('a refused job leaves no traces, and its idempotency key can be used again once the budget allows', async () => {
  const tenant = await platform.tenant();
  const own = new Purse(platform, tenant);
  const body = { ...(await pricedModel(tenant.api)), prompt: 'Name three fruits.', maxOutputTokens: 100 };
  const budget = await own.budget({ limitMicros: 1 });
  const key = { 'idempotency-key': uuidv7() };
  const refused = await tenant.api.post('/api/ai/jobs', body, key);
  expect(refused.status).toBe(429);
  expect((await tenant.api.get<{ data: Job[] }>('/api/ai/jobs')).body.data).toEqual([]);
  await tenant.api.patch(`/api/ai/budgets/${budget}`, { limitMicros: 1_000_000 });
  const made = await tenant.api.post<Job>('/api/ai/jobs', body, key);
  expect(made.status).toBe(201);
  const replayed = await tenant.api.post<Job>('/api/ai/jobs', body, key);
  expect(replayed.body.id).toBe(made.body.id);
  expect((await own.counters()).map(({ held }) => held)).toEqual([
    made.body.reservedCostMicros,
    made.body.reservedCostMicros,
  ]);
});
