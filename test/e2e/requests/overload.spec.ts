import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import pg from 'pg';
import { generateKey } from '#libs/auth/api-key.js';
import { until } from '#libs/testing/until.js';
import type { Answer, Client } from '../../harness/client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

/** A process with 50 places and two database connections, kept busy by a lock. */
const DEALS = '/api/v1/sales/deals';
const TOKEN = 'metrics-token';
const OVERLOADED = { status: 503, code: 'overloaded' };

let platform: TestPlatform;
let admin: pg.Client;
beforeAll(async () => {
  platform = await startPlatform({
    env: { MAX_REQUESTS: '50', DATABASE_POOL_SIZE: '2', METRICS_TOKEN: TOKEN, CLIENT_TIMEOUT_SECONDS: '600' },
  });
  admin = new pg.Client({ connectionString: platform.database.adminUrl });
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await platform.close();
});

/** A tenant whose credential is cached, so that accepting it needs no database connection. */
async function knownTenant() {
  const tenant = await platform.tenant();
  await tenant.api.get(DEALS);
  return tenant;
}

/** Runs `work` while reads of deals are blocked. */
async function whileLocked<T>(work: () => Promise<T>): Promise<T> {
  await admin.query('begin; lock table data.sales_deals in access exclusive mode');
  try {
    return await work();
  } finally {
    await admin.query('rollback');
  }
}

/** Sends concurrent requests; `answers` contains the responses so far. */
function send(count: number, ask: (number: number) => Promise<Answer>) {
  const answers: Answer[] = [];
  const all = Promise.all(Array.from({ length: count }, (_, i) => ask(i).then((answer) => answers.push(answer))));
  return { answers, all };
}

const list = (api: Client) => () => api.get(DEALS);

async function metric(name: string): Promise<number> {
  const { text } = await platform.anonymous().get('/metrics', { authorization: `Bearer ${TOKEN}` });
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? 0);
}

const statuses = (answers: Answer[]) => answers.map(({ status }) => status).sort();
const times = (count: number, status: number) => Array.from({ length: count }, () => status);

describe('a tenant with too many concurrent requests', () => {
  it('gets as many places as are free, 503 with Retry-After for the rest, while others are served', async () => {
    const [loud, quiet] = [await knownTenant(), await knownTenant()];
    const { burst, beside } = await whileLocked(async () => {
      const sent = send(60, list(loud.api));
      await until(() => sent.answers.length === 35);
      for (const { body, headers } of sent.answers) {
        expect(body).toMatchObject(OVERLOADED);
        expect(headers.get('retry-after')).toBe('1');
      }
      const others = send(10, list(quiet.api));
      await until(async () => (await metric('http_places_taken')) === 35);
      expect(others.answers).toEqual([]);
      return { burst: sent, beside: others };
    });
    await Promise.all([burst.all, beside.all]);
    expect(statuses(burst.answers)).toEqual([...times(25, 200), ...times(35, 503)]);
    expect(statuses(beside.answers)).toEqual(times(10, 200));
    expect((await loud.api.get(DEALS)).status).toBe(200);
    expect(await metric('http_requests_refused_total{reason="tenant"}')).toBe(35);
  });

  it('does not use its rate limit for refused requests', async () => {
    const { api } = await platform.tenant({ reads: 30 });
    await api.get(DEALS);
    const sent = await whileLocked(async () => {
      const burst = send(60, list(api));
      await until(() => burst.answers.length === 35);
      return burst;
    });
    await sent.all;
    expect(statuses(sent.answers)).toEqual([...times(25, 200), ...times(35, 503)]);
    expect((await api.get(DEALS)).headers.get('x-ratelimit-remaining')).toBe('3');
  });

  it('uses one more place for each 64 KiB of body', async () => {
    const { api } = await knownTenant();
    const body = JSON.stringify({ name: 'large' }).padEnd(1_000_000);
    const first = await whileLocked(async () => {
      const sent = send(1, () => api.post(DEALS, body));
      await until(async () => (await metric('http_places_taken')) === 16);
      expect(await api.post(DEALS, body)).toMatchObject({ status: 503, body: OVERLOADED });
      expect(sent.answers).toEqual([]);
      return sent;
    });
    await first.all;
    expect(statuses(first.answers)).toEqual([201]);
    expect(await metric('http_places_taken')).toBe(0);
  });
});

describe('a fully loaded process', () => {
  it('refuses requests before reading credential or body, but still reports its health', async () => {
    const { api } = await knownTenant();
    const unknown = () => platform.anonymous().get(DEALS, { 'x-api-key': generateKey('api_key').text });
    const kept = await whileLocked(async () => {
      const reads = send(2, list(api));
      await until(async () => (await metric('database_connections_idle')) === 0);
      const strangers = send(48, unknown);
      await until(async () => (await metric('http_places_taken')) === 50);
      expect(await platform.anonymous().post(DEALS, '{')).toMatchObject({ status: 503, body: OVERLOADED });
      const inScim = await api.get('/api/scim/v2/Users');
      expect(inScim).toMatchObject({ status: 503, body: { status: '503' } });
      expect(inScim.headers.get('content-type')).toContain('application/scim+json');
      expect((await platform.anonymous().get('/health/live')).status).toBe(200);
      return [reads, strangers];
    });
    await Promise.all(kept.map(({ all }) => all));
    expect(statuses(kept[0]!.answers)).toEqual([200, 200]);
    expect(kept[1]!.answers.every(({ status }) => status === 401 || status === 429)).toBe(true);
    expect(await metric('http_requests_refused_total{reason="full"}')).toBe(2);
    expect((await platform.anonymous().get('/health/ready')).status).toBe(200);
  });

  it('frees places of disconnected callers once their requests are done', async () => {
    const { apiKey, api } = await knownTenant();
    await whileLocked(async () => {
      const outgoing = Array.from({ length: 20 }, () => {
        const one = request(platform.url + DEALS, { headers: { 'x-api-key': apiKey } });
        one.on('error', () => undefined).end();
        return one;
      });
      await until(async () => (await metric('http_places_taken')) === 20);
      for (const one of outgoing) one.destroy();
    });
    await until(async () => (await metric('http_places_taken')) === 0);
    expect((await api.get(DEALS)).status).toBe(200);
  });
});

describe('clients that send without reading responses', () => {
  const sockets: Socket[] = [];
  afterEach(() => sockets.splice(0).forEach((socket) => socket.destroy()));

  async function open(): Promise<Socket> {
    const { hostname, port } = new URL(platform.url);
    const socket = connect(Number(port), hostname);
    sockets.push(socket.on('error', () => undefined));
    await once(socket, 'connect');
    return socket;
  }

  it('are disconnected when a second refusal would have to be queued', async () => {
    const { apiKey } = await knownTenant();
    await whileLocked(async () => {
      const socket = await open();
      socket.resume();
      socket.write(`GET ${DEALS} HTTP/1.1\r\nhost: platform\r\nx-api-key: ${apiKey}\r\n\r\n`.repeat(300));
      await until(() => socket.closed);
    });
  });

  it('are disconnected when too many responses are queued, however short', async () => {
    const { apiKey } = await knownTenant();
    const first = `GET ${DEALS} HTTP/1.1\r\nhost: platform\r\nx-api-key: ${apiKey}\r\n\r\n`;
    const others = 'GET /health/live HTTP/1.1\r\nhost: platform\r\n\r\n'.repeat(1_000);
    await whileLocked(async () => {
      for (let i = 0; i < 8; i++) (await open()).write(first + others);
      await until(async () => (await metric('http_connections_cut_total{reason="slow"}')) > 0);
    });
    expect((await platform.anonymous().get('/health/live')).status).toBe(200);
  });
});
