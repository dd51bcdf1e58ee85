import { HOUR_MS, MINUTE_MS } from '#libs/kernel/durations.js';
import { bucketOf, DURATION_BOUNDS } from '#libs/webhooks/sending/duration-histogram.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Stage, type TestEndpoint } from '../../worker/stage.js';
import type { TestTenant } from '../../harness/platform.js';

const FRESH = {
  status: 'healthy',
  failingSince: null,
  failedAttempts: 0,
  willDisableAt: null,
  slow: false,
  breaker: { state: 'closed', openUntil: null },
  lastSuccessAt: null,
  lastFailureAt: null,
};

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

interface Attempt {
  deliveryId: string;
  startedAt: string;
  [more: string]: unknown;
}
interface Page {
  data: Attempt[];
  page: { hasMore: boolean; nextCursor: string | null };
}

async function stageOne() {
  const tenant = await stage.platform.tenant();
  const receiver = await stage.receiver();
  const endpoint = await stage.endpoint(tenant, receiver.url);
  return { tenant, receiver, endpoint };
}

const ago = (ms: number): string => new Date(stage.platform.clock.nowMs() - ms).toISOString();
const floor = (instant: string): string =>
  new Date(Math.floor(Date.parse(instant) / MINUTE_MS) * MINUTE_MS).toISOString();

describe('the health of an endpoint', () => {
  it('is shown as stored in its lane', async () => {
    const { tenant, endpoint } = await stageOne();
    const read = async () => (await tenant.api.get(endpoint.path)).body['health'];
    expect(await read()).toEqual(FRESH);
    const [failingSince, lastFailureAt, openUntil] = [ago(2 * HOUR_MS), ago(HOUR_MS), ago(-HOUR_MS)];
    await stage.sql(
      `update data.webhook_lanes set failing_since = $2, last_failure_at = $3, open_until = $4, openings = 3,
         failed_attempts = 12 where endpoint_id = $1`,
      [endpoint.id, failingSince, lastFailureAt, openUntil],
    );
    const failing = {
      ...FRESH,
      status: 'open',
      failingSince,
      failedAttempts: 12,
      willDisableAt: new Date(Date.parse(failingSince) + 120 * HOUR_MS).toISOString(),
      breaker: { state: 'open', openUntil },
      lastFailureAt,
    };
    expect(await read()).toEqual(failing);
    const list = await tenant.api.get<{ data: object[] }>('/api/webhooks/endpoints');
    expect(list.body.data).toMatchObject([{ health: failing }]);
    const patched = await tenant.api.patch(endpoint.path, { description: 'x' });
    expect(patched.body).toMatchObject({ version: 2, health: failing });
    const [{ envelope }] = (await stage.sql<{ envelope: string }>(
      `select envelope from data.events where subject_id = $1 and type = 'webhook.endpoint.updated'`,
      [endpoint.id],
    )) as [{ envelope: string }];
    expect(JSON.parse(envelope)).toMatchObject({ data: { health: failing } });
    expect(Object.keys((JSON.parse(envelope) as { changes: object }).changes)).toEqual(['description']);
  });

  it('is reset when the endpoint is enabled', async () => {
    const { tenant, endpoint } = await stageOne();
    await stage.sql(
      `update data.webhook_lanes set failing_since = now(), failed_attempts = 12, openings = 2, open_until = now() + interval '1 hour',
         last_failure_at = $2 where endpoint_id = $1`,
      [endpoint.id, ago(HOUR_MS)],
    );
    const act = async (action: string) => (await tenant.api.post(`${endpoint.path}/${action}`)).body['health'];
    expect(await act('disable')).toMatchObject({ status: 'open', willDisableAt: null, failedAttempts: 12 });
    expect(await act('enable')).toEqual({ ...FRESH, lastFailureAt: expect.any(String) });
  });
});

describe('the figures of an endpoint', () => {
  const minute = (endpoint: TestEndpoint, tenant: TestTenant, at: string, durations: number[], failed = 0) => {
    const counts = DURATION_BOUNDS.map(() => 0);
    for (const ms of durations) counts[bucketOf(ms)]!++;
    return stage.sql(
      `insert into data.webhook_stats (tenant_id, endpoint_id, minute, delivered, failed, durations)
       values ($1, $2, $3, $4, $5, $6)`,
      [tenant.id, endpoint.id, floor(at), durations.length - failed, failed, counts],
    );
  };

  it('are empty without attempts', async () => {
    const { tenant, endpoint } = await stageOne();
    expect((await tenant.api.get(`${endpoint.path}/stats`)).body).toEqual({
      since: expect.any(String),
      delivered24h: 0,
      failed24h: 0,
      p50Ms: null,
      p95Ms: null,
      lastSuccessAt: null,
      lastFailureAt: null,
    });
  });

  it('cover exactly the last 24 hours', async () => {
    const { tenant, endpoint } = await stageOne();
    const other = await stage.endpoint(tenant, 'http://127.0.0.1:9/other');
    await minute(endpoint, tenant, ago(25 * HOUR_MS), [30_000, 30_000, 30_000], 3);
    await minute(other, tenant, ago(HOUR_MS), [30_000]);
    await minute(
      endpoint,
      tenant,
      ago(23 * HOUR_MS),
      Array.from({ length: 60 }, () => 9),
    );
    const lastSuccessAt = ago(2 * HOUR_MS);
    await minute(endpoint, tenant, lastSuccessAt, [...Array.from({ length: 36 }, () => 90), 700, 700, 700, 2_400], 4);
    const firstSince = floor(ago(24 * HOUR_MS));
    const { body } = await tenant.api.get(`${endpoint.path}/stats`);
    expect(body).toMatchObject({ delivered24h: 96, failed24h: 4, p50Ms: 10, p95Ms: 100 });
    expect(body['lastSuccessAt']).toBe(floor(lastSuccessAt));
    expect([firstSince, floor(ago(24 * HOUR_MS))]).toContain(body['since']); // the minute may have passed
  });

  it('exclude tests', async () => {
    const { tenant, endpoint } = await stageOne();
    await tenant.api.post(`${endpoint.path}/test`);
    expect((await tenant.api.get(`${endpoint.path}/stats`)).body).toMatchObject({ delivered24h: 0, failed24h: 0 });
    expect((await tenant.api.get(endpoint.path)).body).toMatchObject({ health: FRESH });
  });
});

describe('the log of attempts', () => {
  it('shows each attempt in full, newest first', async () => {
    const { tenant, receiver, endpoint } = await stageOne();
    receiver.answer = {
      status: 200,
      headers: { 'content-type': 'text/plain', 'x-other': '1' },
      body: 'ü'.repeat(2_000),
    };
    const first = await tenant.api.post(`${endpoint.path}/test`);
    receiver.answer = { status: 503 };
    const second = await tenant.api.post(`${endpoint.path}/test`);
    await receiver.close();
    const third = await tenant.api.post(`${endpoint.path}/test`);
    const { body } = await tenant.api.get<Page>(`${endpoint.path}/attempts`);
    expect(body.data).toMatchObject([
      {
        deliveryId: third.body['deliveryId'],
        error: 'connect_refused',
        errorDetail: 'ECONNREFUSED',
        httpStatus: null,
        responseExcerpt: null,
        responseHeaders: {},
        connectMs: null,
        remoteAddress: null,
      },
      { deliveryId: second.body['deliveryId'], error: 'http_status', httpStatus: 503, responseExcerpt: '' },
      {
        deliveryId: first.body['deliveryId'],
        number: 1,
        cause: 'test',
        durationMs: first.body['durationMs'],
        dnsMs: null,
        connectMs: expect.any(Number),
        tlsMs: null,
        firstByteMs: expect.any(Number),
        remoteAddress: '127.0.0.1',
        httpStatus: 200,
        error: null,
        responseHeaders: { 'content-type': 'text/plain' },
        responseExcerpt: 'ü'.repeat(1_024),
        keyIds: [expect.stringMatching(/^[0-9a-f]{16}$/)],
      },
    ]);
    expect(body.data[2]!['responseHeaders']).not.toHaveProperty('x-other');
    expect(receiver.received.map(({ headers }) => headers['x-service-delivery'])).toEqual([
      first.body['deliveryId'],
      second.body['deliveryId'],
    ]);
  });

  it('can be filtered by cause, error and time, and paginated in both directions', async () => {
    const { tenant, endpoint } = await stageOne();
    const startedAt = ago(HOUR_MS);
    for (const [cause, error] of [
      ['schedule', null],
      ['schedule', 'timeout'],
      ['manual', 'http_status'],
      ['test', 'http_status'],
      ['test', null],
    ] as const)
      await stage.sql(
        `insert into data.webhook_attempts (tenant_id, delivery_id, number, endpoint_id, cause, started_at, duration_ms, error)
         values ($1, $2, 1, $3, $4, $5, 1, $6)`,
        [tenant.id, uuidv7(), endpoint.id, cause, cause === 'test' ? ago(2 * HOUR_MS) : startedAt, error],
      );
    const ask = async (query: string) => (await tenant.api.get<Page>(`${endpoint.path}/attempts?${query}`)).body;
    const count = async (query: string) => (await ask(query)).data.length;
    expect(await count('cause=test')).toBe(2);
    expect(await count('cause=test,manual')).toBe(3);
    expect(await count('error=http_status,timeout')).toBe(3);
    expect(await count('error[isNull]=true')).toBe(2);
    expect(await count('error[isNull]=false&cause=schedule')).toBe(1);
    expect(await count(`from=${startedAt}`)).toBe(3);
    expect(await count(`to=${startedAt}`)).toBe(2);
    const walk = async (sort: string): Promise<string[]> => {
      const seen: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const page: Page = await ask(`limit=2&sort=${sort}${cursor && `&cursor=${cursor}`}`);
        seen.push(...page.data.map(({ deliveryId }) => deliveryId));
        cursor = page.page.nextCursor;
      }
      return seen;
    };
    const newestFirst = await walk('-startedAt');
    expect(new Set(newestFirst).size).toBe(5);
    expect(await walk('startedAt')).toEqual([...newestFirst].reverse());
    expect((await ask('')).data.map(({ deliveryId }) => deliveryId)).toEqual(newestFirst);
    expect((await tenant.api.get(`${endpoint.path}/attempts?cause=none`)).status).toBe(400);
  });

  it('has cursors that are valid for one endpoint and one query only', async () => {
    const { tenant, endpoint } = await stageOne();
    const other = await stage.endpoint(tenant, 'http://127.0.0.1:9/other');
    for (let each = 0; each < 2; each++) await tenant.api.post(`${endpoint.path}/test`);
    const { body } = await tenant.api.get<Page>(`${endpoint.path}/attempts?limit=1`);
    for (const path of [`${other.path}/attempts?limit=1`, `${endpoint.path}/attempts?limit=1&cause=test`]) {
      const answer = await tenant.api.get(`${path}&cursor=${body.page.nextCursor}`);
      expect([answer.status, answer.body['code']]).toEqual([400, 'cursor_invalid']);
    }
  });

  it('excludes other endpoints and tenants', async () => {
    const { tenant, endpoint } = await stageOne();
    const other = await stage.endpoint(tenant, 'http://127.0.0.1:9/other');
    await tenant.api.post(`${other.path}/test`);
    expect((await tenant.api.get<Page>(`${endpoint.path}/attempts`)).body.data).toEqual([]);
    const stranger = await stage.platform.tenant();
    for (const path of ['attempts', 'stats'])
      expect((await stranger.api.get(`${other.path}/${path}`)).status).toBe(404);
  });
});
