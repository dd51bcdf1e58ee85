import { startPlatform } from '../../harness/platform.js';
import { act, ask, makeJob, move, setPolicy, FAILED } from './job-calls.js';

const platform = await startPlatform();
afterAll(() => platform.close());

it('of 32 concurrent clients as many get a job as the policy allows per minute', async () => {
  const tenant = await platform.tenant();
  await setPolicy(tenant, { ratePerMinute: 20 });
  const answers = await Promise.all(Array.from({ length: 32 }, () => ask(tenant.api)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
  for (const refused of answers.filter(({ status }) => status !== 201)) {
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limit_exceeded' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  const listed = await tenant.api.get<{ data: object[] }>('/api/ai/jobs?limit=200');
  expect(listed.body.data).toHaveLength(20);
  platform.clock.advance(60_001);
  expect((await ask(tenant.api)).status).toBe(201);
});

it('a retry is limited like a new job, and a refused one leaves the job unchanged', async () => {
  const tenant = await platform.tenant();
  await setPolicy(tenant, { ratePerMinute: 2 });
  const { id } = await makeJob(tenant.api);
  await move(platform, tenant, id, 'start');
  await move(platform, tenant, id, 'fail', FAILED);
  await makeJob(tenant.api);
  expect(await act(tenant.api, id, 'retry')).toMatchObject({ status: 429, body: { code: 'rate_limit_exceeded' } });
  platform.clock.advance(60_001);
  expect(await act(tenant.api, id, 'retry')).toMatchObject({ status: 200, body: { status: 'queued' } });
});

it('retries count like new jobs regardless of the age of the job; refused ones do not count', async () => {
  const tenant = await platform.tenant();
  await setPolicy(tenant, { ratePerMinute: 3 });
  const jobs = await Promise.all(Array.from({ length: 3 }, () => makeJob(tenant.api)));
  const fail = async (id: string) => {
    await move(platform, tenant, id, 'start');
    await move(platform, tenant, id, 'fail', FAILED);
  };
  for (const { id } of jobs) await fail(id);
  expect((await ask(tenant.api)).status).toBe(429);
  platform.clock.advance(60_001);
  const [first, second, third] = jobs.map(({ id }) => id) as [string, string, string];
  expect((await act(tenant.api, first, 'retry')).status).toBe(200);
  await fail(first);
  expect((await act(tenant.api, first, 'retry')).status).toBe(200);
  const both = await Promise.all([act(tenant.api, second, 'retry'), act(tenant.api, third, 'retry')]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 429]);
  const refused = await ask(tenant.api);
  expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limit_exceeded' } });
  const seconds = Number(refused.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(50);
  expect(seconds).toBeLessThanOrEqual(60);
  platform.clock.advance(60_001);
  expect((await ask(tenant.api)).status).toBe(201);
});
