import { connect } from 'node:net';
import { RequestAccounts } from '#libs/request-counts/request-accounts.js';
import { CREDENTIAL_KINDS, type CredentialKind, generateKey } from '#libs/auth/api-key.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { until } from '#libs/testing/until.js';
import type { Answer, Client } from '../../harness/client.js';
import { adminPool } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { createMember, createProvider } from '../../harness/tenants.js';

const USAGE = '/api/v1/developer/usage';
const ENDPOINTS = '/api/webhooks/endpoints';
const ENDPOINT = { url: 'http://127.0.0.1:9/', eventTypes: ['*'] };
const NOWHERE = `${ENDPOINTS}/019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20`;

interface ClassUsage {
  requests: number;
  refused: number;
  errors: number;
}
interface Sums {
  reads: number;
  writes: number;
  errors4xx: number;
  errors5xx: number;
  rateLimited: number;
  idempotentReplays: number;
}
interface Usage {
  plan: string;
  current: Record<string, unknown>;
  series: (Sums & { group: string })[];
  byKey: (Sums & { keyId: string | null; name: string | null })[];
  byRoute: (Sums & { method: string; route: string })[];
  webhooks: Record<string, number>;
  limits: Record<
    'read' | 'write',
    { limit: number; windowSeconds: number; remaining: number; resetsAt: string | null }
  >;
  from: string;
  to: string;
  days: { date: string; read: ClassUsage; write: ClassUsage }[];
  totals: Sums & { read: ClassUsage; write: ClassUsage };
  asOf: string;
  completeTo: string;
}

let platform: TestPlatform;
let admin: ReturnType<typeof adminPool>;
beforeAll(async () => {
  platform = await startPlatform();
  admin = adminPool(platform.database.adminUrl, 1);
});
afterAll(async () => {
  await admin.end();
  await platform.close();
});

async function usageOf(api: Client, query = ''): Promise<Usage> {
  const answer = await api.get<Usage>(USAGE + query);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body;
}

/** A credential of a member. */
async function credentialOf({ id: tenantId }: TestTenant, kind: CredentialKind): Promise<string> {
  const { text, keyId, hash } = generateKey(kind);
  await admin.query(
    `insert into directory.credentials (id, tenant_id, kind, key_id, lineage_id, name, secret_hash, scopes,
       allow_protected, allowed_cidrs, created_at, expires_at, member_id)
     values ($1, $2, $3, $4, $1, 'test', $5, '{*}', false, '{}', now(), now() + interval '1 day', $6)`,
    [uuidv7(), tenantId, kind, keyId, hash, await createMember(admin, tenantId, 'Ana')],
  );
  return text;
}

const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

async function repeat(times: number, send: () => Promise<Answer>): Promise<number[]> {
  const statuses = [];
  for (let i = 0; i < times; i++) statuses.push((await send()).status);
  return statuses;
}

describe('usage', () => {
  it('shows exactly the calls made, by class', async () => {
    const { api } = await platform.tenant();
    await repeat(7, () => api.get(ENDPOINTS));
    await repeat(2, () => api.send('HEAD', ENDPOINTS));
    await repeat(4, () => api.post(ENDPOINTS, ENDPOINT));
    const { totals, days } = await usageOf(api);
    expect(totals).toMatchObject({
      read: { requests: 7 + 2, refused: 0, errors: 0 },
      write: { requests: 4, refused: 0, errors: 0 },
    });
    const { read, write } = totals;
    expect(days.at(-1)).toEqual({ date: day(platform.clock.nowMs()), read, write });
  });

  it('counts what the rate limiter counts: later failures, but no refusals and nothing before it', async () => {
    const tenant = await platform.tenant();
    const { api, slug } = tenant;
    const noRight = await platform.key(tenant, []);
    expect(await repeat(1, () => api.get(NOWHERE))).toEqual([404]);
    expect(await repeat(1, () => api.get(`${ENDPOINTS}?x=1`))).toEqual([400]);
    expect(await repeat(1, () => api.post(ENDPOINTS, {}))).toEqual([400]);
    expect(await repeat(1, () => api.send('POST', ENDPOINTS, '{'))).toEqual([400]);
    expect(await repeat(1, () => noRight.post(ENDPOINTS, ENDPOINT))).toEqual([403]);
    expect(await repeat(1, () => api.get('/api/v1/nowhere'))).toEqual([404]);
    expect(await repeat(1, () => api.send('PUT', ENDPOINTS, {}))).toEqual([405]);
    const mismatch = { 'x-tenant-slug': `${slug}x` };
    expect(await repeat(1, () => api.get(ENDPOINTS, mismatch))).toEqual([403]);
    const { totals } = await usageOf(api);
    expect(totals).toMatchObject({
      read: { requests: 3, refused: 0, errors: 3 },
      write: { requests: 4, refused: 0, errors: 4 },
    });
  });

  it('shows calls beyond the limit as refused and not as requests', async () => {
    const { api } = await platform.tenant({ reads: 4, writes: 2 });
    expect(await repeat(5, () => api.post(ENDPOINTS, ENDPOINT))).toEqual([201, 201, 429, 429, 429]);
    expect(await repeat(4, () => api.get(ENDPOINTS))).toEqual([200, 200, 200, 200]);
    expect(await repeat(2, () => api.get(USAGE))).toEqual([429, 429]);
    platform.clock.advance(60_000);
    const { totals, limits } = await usageOf(api, `?from=${day(platform.clock.nowMs() - DAY_MS)}`);
    expect(totals).toMatchObject({
      read: { requests: 4, refused: 2, errors: 0 },
      write: { requests: 2, refused: 3, errors: 0 },
    });
    expect(limits.write).toEqual({ limit: 2, windowSeconds: 60, remaining: 2, resetsAt: null });
  });

  it('agrees with the rate limiter at any time, even for disconnected callers', async () => {
    const { api, apiKey } = await platform.tenant({ plan: 'starter', reads: 600, writes: 120 });
    const { hostname, port } = new URL(platform.url);
    for (let i = 0; i < 20; i++) {
      const socket = connect(Number(port), hostname);
      await new Promise((resolve) => socket.once('connect', resolve));
      socket.write(`GET ${ENDPOINTS} HTTP/1.1\r\nhost: x\r\nx-api-key: ${apiKey}\r\n\r\n`);
      socket.end();
      socket.destroySoon();
    }
    await api.post(ENDPOINTS, ENDPOINT);
    const { limits, totals, plan } = await until(async () => {
      const usage = await usageOf(api);
      return usage.totals.read.requests > 20 ? usage : null;
    });
    expect(plan).toBe('starter');
    expect(totals.read.requests).toBe(600 - limits.read.remaining - 1); // the limit counts this request too
    expect(totals.write.requests).toBe(120 - limits.write.remaining);
    expect(limits.read.limit).toBe(600);
    const resetMs = Date.parse(limits.read.resetsAt!) - platform.clock.nowMs();
    expect(resetMs).toBeGreaterThan(0);
    expect(resetMs).toBeLessThanOrEqual(60_000);
  });

  it('counts reading the limits as a single request', async () => {
    const { api } = await platform.tenant({ reads: 10 });
    const first = await usageOf(api);
    const second = await usageOf(api);
    expect([first, second].map(({ limits }) => limits.read.remaining)).toEqual([9, 8]);
    expect([first, second].map(({ limits }) => limits.write.remaining)).toEqual([12_000, 12_000]);
  });

  it('stays within the tenant', async () => {
    const [busy, quiet] = [await platform.tenant(), await platform.tenant()];
    await repeat(3, () => busy.api.post(ENDPOINTS, ENDPOINT));
    expect((await usageOf(quiet.api)).totals.write.requests).toBe(0);
    expect((await usageOf(busy.api)).totals.write.requests).toBe(3);
  });

  it.each(CREDENTIAL_KINDS)('works after a request with each kind of credential: %s', async (kind) => {
    const tenant = await platform.tenant();
    const isProvider = kind === 'scim_token'; // which has a separate limit and figures
    const path = isProvider ? '/api/scim/v2/ServiceProviderConfig' : ENDPOINTS;
    const text = isProvider ? await createProvider(admin, tenant.id) : await credentialOf(tenant, kind);
    const headers = { authorization: `Bearer ${text}`, 'x-tenant-slug': tenant.slug };
    for (let i = 0; i < 2; i++) expect((await platform.anonymous().get(path, headers)).status).toBe(200);
    for (const asked of [1, 2])
      expect((await usageOf(tenant.api)).totals.read).toMatchObject({ requests: (isProvider ? 0 : 2) + asked - 1 });
    const { rows } = await admin.query(
      `select credential_kind as kind, sum(count)::int as count from data.request_stats_minute
       where tenant_id = $1 and route = $2 group by credential_kind`,
      [tenant.id, path],
    );
    expect(rows).toEqual(isProvider ? [] : [{ kind, count: 2 }]);
  });

  it('needs its own permission', async () => {
    const tenant = await platform.tenant();
    expect((await (await platform.key(tenant, ['webhooks:read'])).get(USAGE)).status).toBe(403);
    expect((await (await platform.key(tenant, ['usage:read'])).get(USAGE)).status).toBe(200);
  });
});

describe('the days', () => {
  it('are in UTC, each with its own figures', async () => {
    const { api } = await platform.tenant();
    const first = day(platform.clock.nowMs());
    await repeat(2, () => api.post(ENDPOINTS, ENDPOINT));
    platform.clock.advance(DAY_MS);
    await repeat(3, () => api.post(ENDPOINTS, ENDPOINT));
    const { days, totals } = await usageOf(api, `?from=${first}`);
    expect(days.map(({ date, write }) => [date, write.requests])).toEqual([
      [first, 2],
      [day(platform.clock.nowMs()), 3],
    ]);
    expect(totals.write.requests).toBe(5);
    expect((await usageOf(api, `?to=${first}`)).totals.write.requests).toBe(2);
  });

  it('default to the last 30 without gaps', async () => {
    const { api } = await platform.tenant();
    const { from, to, days, asOf, completeTo } = await usageOf(api);
    const now = platform.clock.nowMs();
    expect([from, to]).toEqual([day(now - 29 * DAY_MS), day(now)]);
    expect(days.map(({ date }) => date)).toEqual(Array.from({ length: 30 }, (_, i) => day(now - (29 - i) * DAY_MS)));
    expect(Date.parse(asOf)).toBeLessThanOrEqual(now);
    expect(Date.parse(completeTo)).toBeLessThan(Date.parse(asOf));
  });

  it('are at most 92, in order', async () => {
    const { api } = await platform.tenant();
    expect((await usageOf(api, '?from=2026-01-01&to=2026-04-02')).days).toHaveLength(92);
    expect((await usageOf(api, '?from=2026-01-01&to=2026-01-01')).days).toHaveLength(1);
    for (const query of ['?from=2026-01-01&to=2026-04-03', '?from=2026-01-02&to=2026-01-01', '?from=1990-01-01']) {
      const { status, body } = await api.get(USAGE + query);
      expect([status, body]).toMatchObject([400, { errors: [{ parameter: 'from', code: 'out_of_range' }] }]);
    }
    expect((await api.get(`${USAGE}?from=yesterday`)).status).toBe(400);
  });
});

describe('several processes', () => {
  it('are summed up as soon as their figures are written', async () => {
    const { api, apiKey } = await platform.tenant();
    const other = await startPlatform({ shared: platform.database });
    try {
      const key = { 'x-api-key': apiKey };
      await repeat(3, () => api.post(ENDPOINTS, ENDPOINT));
      await repeat(4, () => other.anonymous().post(ENDPOINTS, ENDPOINT, key));
      await other.app.get(RequestAccounts).flush();
      await repeat(1, () => api.post(ENDPOINTS, ENDPOINT));
      const to = day(platform.clock.nowMs());
      const from = day(Date.now());
      expect((await usageOf(api, `?from=${from}&to=${to}`)).totals.write.requests).toBe(8);
    } finally {
      await other.close();
    }
  });

  it('lose nothing when one is stopped', async () => {
    const { api, apiKey } = await platform.tenant();
    const other = await startPlatform({ shared: platform.database });
    const calls = Array.from({ length: 25 }, () =>
      other.anonymous().post(ENDPOINTS, ENDPOINT, { 'x-api-key': apiKey }),
    );
    await Promise.race(calls);
    const [answers] = await Promise.all([Promise.allSettled(calls), other.close()]);
    const served = answers.filter(({ status }) => status === 'fulfilled').length;
    expect(served).toBeGreaterThan(0);
    const { totals } = await usageOf(api, `?from=${day(Date.now())}&to=${day(platform.clock.nowMs())}`);
    expect(totals.write.requests).toBe(served);
  });
});

describe('detailed usage', () => {
  const NONE = { reads: 0, writes: 0, errors4xx: 0, errors5xx: 0, rateLimited: 0, idempotentReplays: 0 };
  const idOf = async ({ id }: TestTenant, name: string) =>
    (
      await admin.query<{ id: string }>(
        `select lineage_id as id from directory.credentials where tenant_id = $1 and name = $2`,
        [id, name],
      )
    ).rows[0]!.id;

  it('is split by status, replays, keys and routes, for the whole tenant with usage:read-all', async () => {
    const tenant = await platform.tenant();
    const { api } = tenant;
    const other = await platform.key(tenant, ['webhooks:*']);
    await repeat(3, () => other.get(ENDPOINTS));
    await repeat(2, () => other.get(NOWHERE));
    await repeat(2, () => other.get(`${ENDPOINTS}?x=1`));
    for (let i = 0; i < 3; i++) await api.post(ENDPOINTS, ENDPOINT, { 'idempotency-key': 'once' });
    const { totals, byKey, byRoute, series } = await usageOf(api);
    expect(totals).toMatchObject({ ...NONE, reads: 7, writes: 3, errors4xx: 4, idempotentReplays: 2 });
    expect(series).toHaveLength(30);
    expect(series.at(-1)).toEqual({
      group: day(platform.clock.nowMs()),
      ...NONE,
      reads: 7,
      writes: 3,
      errors4xx: 4,
      idempotentReplays: 2,
    });
    const keyId = await idOf(tenant, 'test key');
    expect(byKey).toEqual([
      { keyId, name: 'test key', ...NONE, reads: 7, errors4xx: 4 },
      { keyId: await idOf(tenant, 'test'), name: 'test', ...NONE, writes: 3, idempotentReplays: 2 },
    ]);
    expect(byRoute).toContainEqual({ method: 'GET', route: `${ENDPOINTS}/:id`, ...NONE, reads: 2, errors4xx: 2 });
    expect((await usageOf(api, '?groupBy=key')).series).toContainEqual({
      group: keyId,
      ...NONE,
      reads: 7,
      errors4xx: 4,
    });
    expect((await usageOf(api, '?groupBy=route')).series).toContainEqual({
      group: `POST ${ENDPOINTS}`,
      ...NONE,
      writes: 3,
      idempotentReplays: 2,
    });
  });

  it('is limited to the calling key or the person’s keys without usage:read-all', async () => {
    const tenant = await platform.tenant();
    await repeat(3, () => tenant.api.get(ENDPOINTS));
    const key = await platform.key(tenant, ['usage:read']);
    const { totals, series, byKey, byRoute } = await usageOf(key);
    expect(totals.reads).toBe(3);
    expect([series.at(-1)!.reads, byKey, byRoute]).toEqual([0, [], []]);
    const { series: hours, byRoute: then } = await usageOf(key, '?groupBy=hour');
    expect(hours.reduce((sum, { reads }) => sum + reads, 0)).toBe(1);
    expect(then.map(({ route }) => route)).toEqual([USAGE]);

    const { id } = await platform.member(tenant, 'A developer', ['*'], { roles: ['developer'] });
    const own = await platform.key(tenant, ['*'], { memberId: id });
    await repeat(5, () => own.get(ENDPOINTS));
    const { text, keyId, hash } = generateKey('session');
    await admin.query(
      `insert into directory.credentials (id, tenant_id, kind, key_id, lineage_id, name, secret_hash, scopes,
         allow_protected, allowed_cidrs, created_at, expires_at, member_id)
       values ($1, $2, 'session', $3, $1, 'session', $4, '{*}', false, '{}', now(), now() + interval '1 year', $5)`,
      [uuidv7(), tenant.id, keyId, hash, id],
    );
    const session = await platform
      .anonymous()
      .get<Usage>(USAGE, { authorization: `Bearer ${text}`, 'x-tenant-slug': tenant.slug });
    expect(session.body.byKey.map(({ reads }) => reads)).toEqual([5]);
    expect(session.body.byRoute).toMatchObject([{ route: ENDPOINTS, reads: 5 }]);
  });

  it('is hourly for at most a week, even for aggregated minutes', async () => {
    const tenant = await platform.tenant();
    await repeat(2, () => tenant.api.get(ENDPOINTS));
    await usageOf(tenant.api);
    await admin.query(
      `with moved as (delete from data.request_stats_minute where tenant_id = $1 and route = $2 returning *)
       insert into data.request_stats_hour (tenant_id, hour, route, method, credential_kind, credential_id, count, c2xx,
         c4xx, c429, c5xx, latency, bytes_out)
       select tenant_id, date_trunc('hour', minute), route, method, credential_kind, credential_id, sum(count), sum(c2xx),
         sum(c4xx), sum(c429), sum(c5xx), min(latency), sum(bytes_out) from moved group by 1, 2, 3, 4, 5, 6`,
      [tenant.id, ENDPOINTS],
    );
    const { series } = await usageOf(tenant.api, '?groupBy=hour');
    expect(series).toHaveLength(7 * 24);
    const hour = `${new Date(platform.clock.nowMs()).toISOString().slice(0, 13)}:00:00.000Z`;
    expect(series.find(({ group }) => group === hour)).toMatchObject({ reads: 3 });
    expect(
      (await tenant.api.get(`${USAGE}?groupBy=hour&from=${day(platform.clock.nowMs() - 8 * DAY_MS)}`)).status,
    ).toBe(400);
  });

  it('shows the current use of the rate limits', async () => {
    const { api } = await platform.tenant({ plan: 'starter', reads: 600, writes: 120 });
    await repeat(3, () => api.post(ENDPOINTS, ENDPOINT));
    const { current, limits } = await usageOf(api);
    expect(limits).toMatchObject({ readsPerMinute: 600, writesPerMinute: 120 });
    expect(current).toMatchObject({ reads: 1, readsRemaining: 599, writes: 3, writesRemaining: 117 });
    const now = platform.clock.nowMs();
    expect(Date.parse(String(current['windowStart']))).toBeLessThanOrEqual(now - 60_000 + 1);
    expect(Date.parse(String(current['resetAt']))).toBeGreaterThan(now);
  });

  it('counts webhook deliveries and attempts separately', async () => {
    const tenant = await platform.tenant();
    expect((await usageOf(tenant.api)).webhooks).toEqual({ deliveries: 0, delivered: 0, failed: 0, attempts: 0 });
    const { body } = await tenant.api.post(ENDPOINTS, ENDPOINT);
    for (const [status, attempts] of [
      ['delivered', 2],
      ['exhausted', 9],
      ['pending', 0],
    ])
      await admin.query(
        `insert into data.webhook_deliveries (tenant_id, id, event_id, endpoint_id, event_type, schema_version,
           payload_mode, subject_type, subject_id, sequence, status, attempts, attempt_count, created_at, delivered_at)
         values ($1, $2, $2, $3, 'sales.deal.created', 1, 'full', 'sales.deal', 'x', 1, $4, $5, $5, now(), now())`,
        [tenant.id, uuidv7(), body['id'], status, attempts],
      );
    const query = `?from=${day(Date.now())}&to=${day(platform.clock.nowMs())}`;
    expect((await usageOf(tenant.api, query)).webhooks).toEqual({
      deliveries: 3,
      delivered: 1,
      failed: 1,
      attempts: 11,
    });
  });
});
