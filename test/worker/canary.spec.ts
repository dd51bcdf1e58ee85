import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { Metrics } from '#libs/metrics/metrics.js';
import { generateSecret, signDelivery } from '#libs/webhooks/sending/signature.js';
import { redisAvailable } from '#libs/testing/redis-server.js';
import { until } from '#libs/testing/until.js';
import type { TestTenant } from '../harness/platform.js';
import { CanaryProcess } from './canary-process.js';
import { Stage } from './stage.js';

interface Endpoint {
  id: string;
  url: string;
  description: string;
  version: number;
}

let stage: Stage;
let tenant: TestTenant;

beforeAll(async () => {
  stage = await Stage.open();
});
beforeEach(async () => {
  tenant = await stage.platform.tenant({ plan: 'free' });
});
afterEach(() => CanaryProcess.endAll());
afterAll(() => stage.close());

const canary = (env: Record<string, string> = {}, ...args: string[]) =>
  CanaryProcess.start(stage.platform, tenant, env, ...args);
const endpoints = async () => (await tenant.api.get<{ data: Endpoint[] }>('/api/webhooks/endpoints')).body.data;
const outcomes = ({ checks }: CanaryProcess) => checks.map(({ way, outcome }) => `${way} ${outcome}`);
const allOk = ['direct ok', 'queue ok'];

describe('the canary with a running worker', () => {
  beforeAll(() => stage.worker());
  afterAll(() => stage.stopWorkers());

  it('checks both paths once, leaves no endpoint, and exits with 0', async () => {
    const single = canary({}, '--once');
    expect(await single.end()).toBe(0);
    expect(outcomes(single)).toEqual(allOk);
    for (const { delayMs } of single.checks) expect(delayMs).toBeGreaterThan(0);
    expect(single.complaints).toBe('');
    expect(await endpoints()).toEqual([]);
  });

  it('needs only permission to read and write webhooks', async () => {
    const { headers } = await stage.platform.key(tenant, ['webhooks:read', 'webhooks:write']);
    const single = canary({ CANARY_KEY: headers['x-api-key']! }, '--once');
    expect(await single.end()).toBe(0);
  });

  it('runs with one endpoint until it is stopped, and removes the endpoint', async () => {
    const running = canary({ CANARY_EVERY_SECONDS: '1' });
    await until(() => running.checks.length >= 4);
    expect(outcomes(running).slice(0, 4)).toEqual([...allOk, ...allOk]);
    expect(await endpoints()).toHaveLength(1);
    expect(await running.end('SIGTERM')).toBe(0);
    expect(await endpoints()).toEqual([]);
  });

  it('exposes its checks and liveness to Prometheus', async () => {
    const running = canary();
    await until(() => running.checks.length === 2);
    const metrics = await running.metrics();
    for (const { way, delayMs } of running.checks) {
      expect(metrics[`webhook_canary_checks_total{way="${way}",outcome="ok"}`]).toBe(1);
      expect(metrics[`webhook_canary_checks_total{way="${way}",outcome="missing"}`]).toBe(0);
      expect(metrics[`webhook_canary_delay_seconds{way="${way}"}`]).toBe(delayMs! / 1_000);
      const succeededAt = metrics[`webhook_canary_last_success_timestamp_seconds{way="${way}"}`]!;
      expect(Math.abs(succeededAt - Date.now() / 1_000)).toBeLessThan(60);
    }
    const status = async (path: string, method = 'GET') =>
      (await fetch((await running.url()) + path, { method })).status;
    expect(await status('/health/live')).toBe(200);
    expect(await status('/hooks/guessed', 'POST')).toBe(404);
  });

  it('removes only endpoints left by an earlier run', async () => {
    const receiver = await stage.receiver();
    const descriptions = ['canary one at 2026-01-02T03:04:05.678Z', 'canary two at 2026-01-02T03:04:05.678Z'];
    for (const description of [...descriptions, 'canary one at home 5'])
      await stage.endpoint(tenant, receiver.url, { description });
    const single = canary({}, '--once'); // the plan does not allow a fourth endpoint
    expect(await single.end()).toBe(0);
    const left = (await endpoints()).map(({ description }) => description);
    expect(left.sort()).toEqual(['canary one at home 5', descriptions[1]]);
  });

  it.each(['deleted', 'disabled'])('creates another endpoint when its own is %s', async (change) => {
    const running = canary({ CANARY_EVERY_SECONDS: '1', CANARY_TIMEOUT_SECONDS: '5' });
    await until(() => running.checks.length >= 2);
    const [{ id } = { id: '' }] = await endpoints();
    const path = `/api/webhooks/endpoints/${id}`;
    const answer = change === 'deleted' ? await tenant.api.delete(path) : await tenant.api.post(`${path}/disable`);
    expect(answer.status).toBe(200);
    await until(async () => (await endpoints()).every((each) => each.id !== id));
    const before = running.checks.length;
    await until(() => running.checks.length >= before + 3 && running.checks.at(-1)!.outcome === 'ok');
    expect(await endpoints()).toHaveLength(1);
  });

  it('detects a sequence that does not increase', async () => {
    const running = canary({ CANARY_EVERY_SECONDS: '1', CANARY_TIMEOUT_SECONDS: '5' });
    await until(() => running.checks.length >= 2);
    // As after restoring an older backup.
    await stage.sql(
      `with numbers as (delete from data.event_numbers where tenant_id = $1)
       update data.event_sequences set last = 0 where tenant_id = $1`,
      [tenant.id],
    );
    await until(() => running.checks.some(({ outcome }) => outcome === 'out_of_order'));
    await until(() => running.checks.at(-1)!.outcome === 'ok');
  });

  it('reports rejections of the platform, and continues', async () => {
    const receiver = await stage.receiver();
    for (const each of [1, 2, 3]) await stage.endpoint(tenant, receiver.url, { description: `not its own ${each}` });
    const running = canary({ CANARY_EVERY_SECONDS: '1' });
    await until(() => running.checks.length >= 1);
    expect(running.checks[0]).toMatchObject({
      outcome: 'refused',
      detail: expect.stringMatching(/^POST \/api\/webhooks\/endpoints: 409 plan_limit_reached: The plan free has/),
    });
    await tenant.api.delete(`/api/webhooks/endpoints/${(await endpoints())[0]!.id}`);
    await until(() => running.checks.at(-1)!.outcome === 'ok');
  });
});

describe('the canary without a worker', () => {
  it('exits with 1 when no delivery arrives, and leaves no endpoint', async () => {
    const single = canary({ CANARY_TIMEOUT_SECONDS: '1' }, '--once');
    expect(await single.end()).toBe(1);
    expect(outcomes(single)).toEqual(['direct missing', 'queue missing']);
    expect(await endpoints()).toEqual([]);
  });

  it('counts missing deliveries, and no success', async () => {
    const running = canary({ CANARY_TIMEOUT_SECONDS: '1' });
    await until(() => running.checks.length === 2);
    expect(await running.metrics()).toMatchObject({
      'webhook_canary_checks_total{way="direct",outcome="missing"}': 1,
      'webhook_canary_checks_total{way="direct",outcome="ok"}': 0,
      'webhook_canary_last_success_timestamp_seconds{way="direct"}': 0,
    });
    expect(await running.metrics()).not.toHaveProperty('webhook_canary_delay_seconds{way="direct"}');
  });

  it('accepts no delivery that is not signed by the platform', async () => {
    const running = canary();
    const unsigned = (): Record<string, string> => ({});
    for (const [place, sign] of [unsigned, (body: string) => signed(body, generateSecret())].entries()) {
      // Each check makes one change after the creation.
      const data = await until(async () => (await endpoints()).find(({ version }) => version === place + 2));
      const body = JSON.stringify({ type: 'webhook.endpoint.updated', sequence: '1', data });
      expect((await fetch(data.url, { method: 'POST', headers: sign(body), body })).status).toBe(401);
      await until(() => running.checks.length === place + 1);
    }
    expect(running.checks).toMatchObject([
      { way: 'direct', outcome: 'invalid_signature', detail: 'missing_header' },
      { way: 'queue', outcome: 'invalid_signature', detail: 'signature_mismatch' },
    ]);
    const metrics = await running.metrics();
    expect(metrics['webhook_canary_checks_total{way="direct",outcome="invalid_signature"}']).toBe(1);
    expect(metrics['webhook_canary_checks_total{way="direct",outcome="ok"}']).toBe(0);
  });

  it('can be stopped during a check, which does not count as a success', async () => {
    const single = canary({}, '--once');
    await until(async () => (await endpoints()).length === 1);
    expect(await single.end('SIGINT')).toBe(1);
    expect(single.checks).toEqual([]);
    expect(await endpoints()).toEqual([]);
  });

  it('exits with 1 and one clear line per check when its key is wrong', async () => {
    const single = canary({ CANARY_KEY: 'nonsense' }, '--once');
    expect(await single.end()).toBe(1);
    expect(outcomes(single)).toEqual(['direct refused', 'queue refused']);
    expect(single.checks[0]!.detail).toMatch(/^GET \/api\/webhooks\/endpoints\?limit=200: 401 unauthenticated: \S+/);
    expect(single.complaints).toBe('');
  });

  it('survives a platform that does not respond', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    closed.close();
    await once(closed, 'close');
    const running = canary({ CANARY_API: `http://127.0.0.1:${port}/`, CANARY_EVERY_SECONDS: '1' });
    await until(() => running.checks.length >= 4);
    expect(running.checks[3]!.detail).toBe('GET /api/webhooks/endpoints?limit=200: ECONNREFUSED');
    expect(await running.end('SIGTERM')).toBe(0);
  });

  it.each([
    [{ CANARY_API: '' }, 'CANARY_API has to be the URL of the platform\n'],
    [{ CANARY_API: 'platform' }, 'CANARY_API has to be the URL of the platform\n'],
    [{ CANARY_KEY: '' }, 'CANARY_KEY has to be an API key with webhooks:read and webhooks:write\n'],
    [{ CANARY_NAME: 'a b' }, 'CANARY_NAME has to be up to 64 of A-Z a-z 0-9 . _ -\n'],
    [{ CANARY_PORT: '65536' }, 'CANARY_PORT has to be a port\n'],
    [{ CANARY_EVERY_SECONDS: '0' }, 'CANARY_EVERY_SECONDS has to be 1 to 86400\n'],
    [{ CANARY_TIMEOUT_SECONDS: 'long' }, 'CANARY_TIMEOUT_SECONDS has to be 1 to 3600\n'],
    [{ CANARY_URL: 'ftp://canary' }, 'CANARY_URL has to be the URL under which the platform reaches it\n'],
    [{ CANARY_HOST: '203.0.113.1' }, /^The canary cannot start: [^\n]+EADDRNOTAVAIL[^\n]+\n$/],
  ])('does not start with %j', async (env, line) => {
    const running = canary(env);
    expect(await running.end()).toBe(1);
    expect(running.complaints).toEqual(line instanceof RegExp ? expect.stringMatching(line) : line);
  });

  it('rejects other options', async () => {
    const running = canary({}, '--twice');
    expect(await running.end()).toBe(1);
    expect(running.complaints).toBe('The only option is --once\n');
  });
});

describe('the files for Prometheus and Grafana', () => {
  /** Names of metrics: those with an underscore that are no functions; values of labels aside. */
  const namesIn = (expression: string) =>
    expression.replaceAll(/"[^"]*"/g, '').match(/\b[a-z][a-z0-9]*(_[a-z0-9]+)+\b(?!\()/g) ?? [];

  async function exported(): Promise<string[]> {
    const worker = (await stage.idleWorker()).get(Metrics);
    const api = stage.platform.app.get(Metrics);
    for (const each of [worker, api]) each.collectProcess();
    const ofCanary = await (await fetch(`${await canary().url()}/metrics`)).text();
    return [await worker.text(), await api.text(), ofCanary].flatMap((text) =>
      Array.from(text.matchAll(/^# TYPE (\S+) (\S+)/gm), ([, name, type]) =>
        type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name!],
      ).flat(),
    );
  }

  it('use only metrics that API, worker or canary export', async () => {
    const rules = readFileSync('docker/alerts.yaml', 'utf8');
    const alerts = Array.from(rules.matchAll(/^ +expr: (.+)$/gm), ([, expression]) => expression!);
    expect(alerts).toHaveLength(rules.match(/- alert:/g)!.length);
    const dashboard = readFileSync('docker/grafana/dashboards/platform.json', 'utf8');
    const panels = Array.from(
      dashboard.matchAll(/"expr": ("(?:[^"\\]|\\.)*")/g),
      ([, expression]) => JSON.parse(expression!) as string,
    );
    expect(panels.length).toBeGreaterThan(20);
    const known = await exported();
    for (const expression of [...alerts, ...panels]) {
      expect(namesIn(expression)).not.toEqual([]);
      expect(known).toEqual(expect.arrayContaining(namesIn(expression)));
    }
  });

  it('explain every alert in a guide', () => {
    const rules = readFileSync('docker/alerts.yaml', 'utf8');
    const guides = ['watching-deliveries', 'observability'].map((name) =>
      readFileSync(`docs/guides/${name}.md`, 'utf8'),
    );
    for (const [, alert] of rules.matchAll(/- alert: (\w+)/g)) expect(guides.join()).toContain(`| \`${alert}\``);
  });
});

(redisAvailable() ? it : it.skip)('the canary detects that the queue stops, and that it resumes', async () => {
  const withRedis = await Stage.open({}, 'Redis');
  try {
    await withRedis.worker();
    const env = { CANARY_EVERY_SECONDS: '1', CANARY_TIMEOUT_SECONDS: '1' };
    const running = CanaryProcess.start(withRedis.platform, await withRedis.platform.tenant(), env);
    await until(() => outcomes(running).slice(-2).join() === allOk.join());
    await withRedis.redis!.stop();
    await until(() => outcomes(running).includes('queue missing'));
    await withRedis.redis!.start();
    await until(() => outcomes(running).slice(-2).join() === allOk.join());
  } finally {
    await withRedis.close();
  }
});

it('the canary verifies its endpoint where the operator requires it', async () => {
  const strict = await Stage.open({ WEBHOOK_REQUIRE_VERIFICATION: 'true' });
  try {
    await strict.worker();
    const single = CanaryProcess.start(strict.platform, await strict.platform.tenant(), {}, '--once');
    expect(await single.end()).toBe(0);
    expect(outcomes(single)).toEqual(allOk);
  } finally {
    await strict.close();
  }
});

function signed(body: string, secret: string): Record<string, string> {
  const timestampSeconds = Math.floor(Date.now() / 1_000);
  return { ...signDelivery({ body, eventId: '0198c0de-0000-7000-8000-000000000001', timestampSeconds, secret }) };
}
