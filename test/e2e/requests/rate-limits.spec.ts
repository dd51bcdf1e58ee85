import { generateKey } from '#libs/auth/api-key.js';
import type { Answer, Client } from '../../harness/client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { tracesOf } from './traces.js';

const DEALS = '/api/v1/sales/deals';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ env: { TRUSTED_PROXIES: '127.0.0.1/32' } });
});
afterAll(() => platform.close());

/** Sends a request several times in sequence. */
async function repeat(times: number, send: () => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let i = 0; i < times; i++) answers.push(await send());
  return answers;
}

const statuses = (answers: Answer[]) => answers.map(({ status }) => status);
const all = (count: number, status: number) => Array.from({ length: count }, () => status);
const read = (api: Client) => () => api.get(DEALS);
const write = (api: Client) => () => api.post(DEALS, { name: 'x' });

describe('the limit of a tenant', () => {
  it('allows exactly as many requests as the plan, and returns 429 for the next', async () => {
    const { api } = await platform.tenant({ reads: 7, writes: 4 });
    expect(statuses(await repeat(7, read(api)))).toEqual(all(7, 200));
    expect(statuses(await repeat(3, read(api)))).toEqual(all(3, 429));
    expect(statuses(await repeat(4, write(api)))).toEqual(all(4, 201));
    expect(statuses(await repeat(3, write(api)))).toEqual(all(3, 429));
  });

  it('applies to concurrent requests', async () => {
    const { api } = await platform.tenant({ reads: 20 });
    const answers = await Promise.all(Array.from({ length: 50 }, read(api)));
    expect(statuses(answers).sort()).toEqual([...all(20, 200), ...all(30, 429)]);
  });

  it('is that of the plan', async () => {
    for (const [plan, reads, writes] of [
      ['free', 60, 30],
      ['starter', 600, 120],
      ['business', 6_000, 1_200],
    ] as const) {
      const { api } = await platform.tenant({ plan, reads, writes });
      expect((await api.get(DEALS)).headers.get('ratelimit-policy')).toBe(`"read";q=${reads};w=60`);
      expect((await api.post(DEALS, { name: 'x' })).headers.get('ratelimit-policy')).toBe(`"write";q=${writes};w=60`);
    }
  });

  it('is shared by all keys of the tenant and by no other tenant', async () => {
    const tenant = await platform.tenant({ reads: 2 });
    const other = await platform.tenant({ reads: 2 });
    const second = await platform.key(tenant, ['deals:read']);
    expect(statuses([await tenant.api.get(DEALS), await second.get(DEALS), await second.get(DEALS)])).toEqual([
      200, 200, 429,
    ]);
    expect((await other.api.get(DEALS)).status).toBe(200);
  });

  it('counts everything with an accepted credential, including errors and replays', async () => {
    const tenant = await platform.tenant({ reads: 3, writes: 4 });
    const { api } = tenant;
    const gone = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20';
    const reads = [
      await api.get(`${DEALS}/${gone}`),
      await api.get(`${DEALS}?x=1`),
      await api.send('HEAD', DEALS),
      await api.get(DEALS),
    ];
    expect(statuses(reads)).toEqual([404, 400, 200, 429]);
    const noRight = await platform.key(tenant, []);
    const key = { 'idempotency-key': 'k' };
    const writes = [
      await api.post(DEALS, { name: 'x' }, key),
      await api.post(DEALS, { name: 'x' }, key),
      await api.post(DEALS, {}),
      await noRight.post(DEALS, { name: 'x' }),
      await api.post(DEALS, { name: 'x' }, key),
    ];
    expect(statuses(writes)).toEqual([201, 201, 400, 403, 429]);
  });

  it('frees a slot exactly 60 seconds after it was taken', async () => {
    const { api } = await platform.tenant({ reads: 2 });
    await api.get(DEALS);
    platform.clock.advance(30_000);
    await api.get(DEALS);
    expect((await api.get(DEALS)).status).toBe(429);
    platform.clock.advance(29_000);
    expect((await api.get(DEALS)).status).toBe(429);
    platform.clock.advance(1_000);
    expect(statuses([await api.get(DEALS), await api.get(DEALS)])).toEqual([200, 429]);
    platform.clock.advance(30_000);
    expect((await api.get(DEALS)).status).toBe(200);
  });

  it('does not count refused requests, so hammering does not prolong it', async () => {
    const { api } = await platform.tenant({ reads: 1 });
    await api.get(DEALS);
    for (let i = 0; i < 5; i++) {
      platform.clock.advance(11_000);
      expect((await api.get(DEALS)).status).toBe(429);
    }
    platform.clock.advance(5_000);
    expect((await api.get(DEALS)).status).toBe(200);
  });

  it('prevents any effect of refused writes', async () => {
    const tenant = await platform.tenant({ writes: 1 });
    await tenant.api.post(DEALS, { name: 'x' });
    const before = await tracesOf(platform, tenant);
    expect((await tenant.api.post(DEALS, { name: 'y' }, { 'idempotency-key': 'k' })).status).toBe(429);
    expect(await tracesOf(platform, tenant)).toEqual(before);
  });
});

describe('the headers', () => {
  it('contain the remaining requests and when the oldest one no longer counts', async () => {
    const { api } = await platform.tenant({ reads: 3 });
    const first = await api.get(DEALS);
    expect(first.headers.get('ratelimit')).toBe('"read";r=2;t=60');
    expect(first.headers.get('x-ratelimit-limit')).toBe('3');
    expect(first.headers.get('x-ratelimit-remaining')).toBe('2');
    platform.clock.advance(20_000);
    const second = await api.get(DEALS);
    expect(second.headers.get('ratelimit')).toBe('"read";r=1;t=40');
    const reset = Number(second.headers.get('x-ratelimit-reset'));
    expect(Math.abs(reset - (platform.clock.nowMs() / 1000 + 40))).toBeLessThan(3);
  });

  it('of a 429 contain a sufficient time to wait', async () => {
    const { api } = await platform.tenant({ reads: 1 });
    await api.get(DEALS);
    platform.clock.advance(17_500);
    const refused = await api.get(DEALS);
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({ code: 'rate_limit_exceeded', 'violated-policies': ['read'] });
    const wait = Number(refused.headers.get('retry-after'));
    expect(wait).toBe(43);
    expect(refused.headers.get('ratelimit')).toBe(`"read";r=0;t=${wait}`);
    expect(refused.headers.get('ratelimit-policy')).toBe('"read";q=1;w=60');
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
    platform.clock.advance(wait * 1_000);
    expect((await api.get(DEALS)).status).toBe(200);
  });

  it('are in every response to an accepted credential', async () => {
    const { api } = await platform.tenant();
    const answers = [
      await api.get(`${DEALS}/x`),
      await api.get(`${DEALS}/019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20`),
      await api.post(DEALS, {}),
      await api.send('POST', DEALS, '{'),
      await api.send('POST', DEALS, 'x', { 'content-type': 'text/plain' }),
    ];
    expect(statuses(answers)).toEqual([400, 404, 400, 400, 415]);
    for (const { headers } of answers)
      for (const name of [
        'ratelimit',
        'ratelimit-policy',
        'x-ratelimit-limit',
        'x-ratelimit-remaining',
        'x-ratelimit-reset',
      ])
        expect(headers.get(name)).not.toBeNull();
  });
});

describe('the limits of an IP address', () => {
  let last = 0;
  const address = () => ({ 'x-forwarded-for': `203.0.113.${++last}` });
  const unknownKey = () => ({ 'x-api-key': generateKey('api_key').text });

  it('allow 60 requests without a credential in any minute', async () => {
    const from = address();
    const ask = () => platform.anonymous().get(DEALS, from);
    expect(statuses(await repeat(60, ask))).toEqual(all(60, 401));
    const refused = await ask();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await platform.anonymous().get(DEALS, address())).status).toBe(401);
    platform.clock.advance(60_000);
    expect((await ask()).status).toBe(401);
  });

  it('count paths that do not exist', async () => {
    const from = address();
    expect(statuses(await repeat(60, () => platform.anonymous().get('/wp-login.php', from)))).toEqual(all(60, 404));
    expect((await platform.anonymous().get('/wp-login.php', from)).status).toBe(429);
  });

  it('allow 20 failed authentications in any minute', async () => {
    const from = address();
    const ask = () => platform.anonymous().get(DEALS, { ...from, ...unknownKey() });
    expect(statuses(await repeat(20, ask))).toEqual(all(20, 401));
    expect(statuses(await repeat(3, ask))).toEqual(all(3, 429));
    platform.clock.advance(60_000);
    expect((await ask()).status).toBe(401);
  });

  it('never refuse a valid credential', async () => {
    const from = address();
    const { api, apiKey, slug } = await platform.tenant();
    await repeat(21, () => platform.anonymous().get(DEALS, { ...from, ...unknownKey() }));
    await repeat(61, () => platform.anonymous().get(DEALS, from));
    expect((await api.get(DEALS, from)).status).toBe(200);
    const bearer = { authorization: `Bearer ${apiKey}`, 'x-tenant-slug': slug };
    expect((await platform.anonymous().get(DEALS, { ...from, ...bearer })).status).toBe(200);
  });

  it('know a client by its address, not by the port that a proxy adds', async () => {
    let port = 50_000;
    const ask = (ip: string) =>
      platform.anonymous().get(DEALS, { 'x-forwarded-for': `${ip}:${++port}`, ...unknownKey() });
    const [one, other] = [address()['x-forwarded-for'], address()['x-forwarded-for']];
    expect(statuses(await repeat(20, () => ask(one)))).toEqual(all(20, 401));
    expect((await ask(one)).status).toBe(429);
    expect((await ask(other)).status).toBe(401);
  });

  it('treat an IPv6 /64 network as one address', async () => {
    const ask = (host: number, net = 'a') =>
      platform.anonymous().get(DEALS, { 'x-forwarded-for': `2001:db8:1:${net}::${host.toString(16)}` });
    let host = 0;
    expect(statuses(await repeat(60, () => ask(++host)))).toEqual(all(60, 401));
    expect((await ask(++host)).status).toBe(429);
    expect((await ask(1, 'b')).status).toBe(401);
  });

  it('do not apply to health, the document and the reference page', async () => {
    const from = address();
    await repeat(61, () => platform.anonymous().get(DEALS, from));
    for (const path of ['/health/live', '/health/ready', '/openapi.json', '/docs', '/docs/api/sales-deals'])
      expect(statuses(await repeat(3, () => platform.anonymous().get(path, from)))).toEqual(all(3, 200));
  });
});
