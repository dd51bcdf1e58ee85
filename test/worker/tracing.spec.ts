import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readSettings } from '#libs/config/settings.js';
import { until } from '#libs/testing/until.js';
import { startTelemetry } from '#src/platform/telemetry.js';
import type { Telemetry } from '#src/platform/telemetry-sdk.js';
import { createLogger } from '#src/platform/logger.js';
import { Metrics } from '#libs/metrics/metrics.js';
import { Collector, type CollectedSpan } from '../harness/collector.js';
import type { TestTenant } from '../harness/platform.js';
import type { Receiver } from './receiver.js';
import { Stage, type TestEndpoint } from './stage.js';

const SPAN = '00f067aa0ba902b7';
const traceId = () => randomBytes(16).toString('hex');
const partsOf = (traceparent: unknown) => String(traceparent).split('-');

let stage: Stage;
let tenant: TestTenant;
let receiver: Receiver;
afterEach(() => {
  receiver.received.length = 0;
  receiver.answer = { status: 200 };
});

async function open(): Promise<void> {
  stage = await Stage.open({ WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' });
  await stage.worker();
  tenant = await stage.platform.tenant();
  receiver = await stage.receiver();
}

/** Creates a deal with a `traceparent`; returns the response. */
function createDeal(traceparent: string | null, name = 'Acme renewal') {
  return tenant.api.post<{ id: string }>(
    '/api/v1/sales/deals',
    { name, value: 25_000 },
    traceparent === null ? {} : { traceparent },
  );
}

/** Creates an endpoint for deals, and a deal; returns the `traceparent` of its delivery. */
async function deliveredTrace(traceparent: string | null, more: Record<string, unknown> = {}) {
  const endpoint = await stage.endpoint(tenant, receiver.url, more);
  const deal = await createDeal(traceparent);
  expect(deal.status).toBe(201);
  await until(() => receiver.received.length > 0);
  const { headers, event } = receiver.received[0]!;
  await remove(endpoint);
  return { header: String(headers['traceparent']), event };
}

async function remove({ path }: TestEndpoint): Promise<void> {
  await tenant.api.delete(path);
}

describe('without a collector', () => {
  beforeAll(open);
  afterAll(() => stage.close());

  it('continues the trace of the request in the delivery', async () => {
    const trace = traceId();
    const { header } = await deliveredTrace(`00-${trace}-${SPAN}-01`);
    expect(header).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{12}0001-01$`));
  });

  it('continues it in deliveries that wait in the queue, and keeps the flag that it is not recorded', async () => {
    const trace = traceId();
    const { header } = await deliveredTrace(`00-${trace}-${SPAN}-00`, { maxPerSecond: 100 });
    expect(header).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{12}0001-00$`));
  });

  it('uses the trace of the event if the request has no valid header', async () => {
    for (const invalid of [
      null,
      'x',
      `00-${'0'.repeat(32)}-${SPAN}-01`,
      `00-${traceId()}-${'0'.repeat(16)}-01`,
      `ff-${traceId()}-${SPAN}-01`,
      `00-${traceId()}-${SPAN}-01-more`,
      `00-${traceId().toUpperCase().replace(/^./, 'A')}-${SPAN}-01`,
    ]) {
      const { header, event } = await deliveredTrace(invalid);
      expect(partsOf(header)[1]).toBe(event.id.replaceAll('-', ''));
      receiver.received.length = 0;
    }
  });

  it('continues it in the events of flows that the event starts', async () => {
    const { id: accountId } = (await tenant.api.post<{ id: string }>('/api/v1/sales/accounts', { name: 'Acme' })).body;
    const deal = { name: 'Acme renewal', value: 25_000, accountId };
    const { id } = (await tenant.api.post<{ id: string }>('/api/v1/sales/deals', deal)).body;
    const endpoint = await stage.endpoint(tenant, receiver.url, { eventTypes: ['sales.account.*'] });
    const trace = traceId();
    const won = await tenant.api.post(`/api/v1/sales/deals/${id}/win`, {}, { traceparent: `00-${trace}-${SPAN}-01` });
    expect(won.status).toBe(200);
    await until(() => receiver.received.some(({ headers }) => partsOf(headers['traceparent'])[1] === trace));
    await remove(endpoint);
  });

  it('continues it in AI jobs and their events', async () => {
    const endpoint = await stage.endpoint(tenant, receiver.url, { eventTypes: ['*'] });
    const trace = traceId();
    const body = { kind: 'text.summarize', input: { text: 'A deal was won.' } };
    const job = await tenant.api.post('/api/ai/jobs', body, { traceparent: `00-${trace}-${SPAN}-01` });
    expect(job.status).toBe(201);
    const end = await until(() => receiver.received.find(({ event }) => event.type.endsWith('.succeeded')));
    expect(partsOf(end.headers['traceparent'])[1]).toBe(trace);
    await remove(endpoint);
  });

  it('accepts a later version of the header', async () => {
    const trace = traceId();
    const { header } = await deliveredTrace(`cc-${trace}-${SPAN}-03-more`);
    expect(header).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-01$`));
  });
});

describe('with a collector', () => {
  let collector: Collector;
  let telemetry: Telemetry;
  beforeAll(async () => {
    collector = await Collector.start();
    const settings = readSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    const logger = createLogger({ settings, name: 'test' });
    telemetry = (await startTelemetry({ settings, service: 'api', logger }))!;
    await open();
    telemetry.observe(stage.platform.app.get(Metrics));
  });
  afterAll(async () => {
    await stage.close();
    await telemetry.stop();
    collector.close();
  });

  /** Waits until the trace has a span of each kind, and returns the first of each. */
  async function spansOf(trace: string) {
    const first = (matches: (span: CollectedSpan) => boolean) => collector.trace(trace).find(matches);
    const found = () => ({
      server: first(({ kind }) => kind === 'server')!,
      database: first(({ attributes }) => String(attributes['db.query.summary']).includes('INSERT data.events'))!,
      worker: first(({ kind }) => kind === 'consumer')!,
      call: first(({ attributes }) => attributes['server.port'] !== undefined)!,
    });
    return until(() => {
      const spans = found();
      return Object.values(spans).every((span) => span !== undefined) ? spans : null;
    });
  }

  for (const [way, more] of [
    ['directly', {}],
    ['through the queue', { maxPerSecond: 100 }],
  ] as const)
    it(`records request, statements, worker and delivery in one trace, if it is sent ${way}`, async () => {
      const trace = traceId();
      const { header, event } = await deliveredTrace(`00-${trace}-${SPAN}-01`, more);
      const { server, database, worker, call } = await spansOf(trace);
      expect(header).toBe(`00-${trace}-${call.spanId}-01`);
      expect(server).toMatchObject({ parentSpanId: SPAN, name: 'POST /api/v1/sales/deals', kind: 'server' });
      expect(server.attributes).toEqual({
        'http.request.method': 'POST',
        'http.response.status_code': 201,
        'http.route': '/api/v1/sales/deals',
        'url.scheme': 'http',
        'platform.operation': 'sales.deals.create',
        'platform.request.id': expect.stringMatching(/^req_/) as string,
        'platform.tenant.id': tenant.id,
      });
      expect(database).toMatchObject({ parentSpanId: server.spanId, kind: 'client' });
      expect(database.attributes).toMatchObject({ 'db.system.name': 'postgresql' });
      expect(worker).toMatchObject({ parentSpanId: server.spanId, name: 'deliver sales.deal.created' });
      expect(worker.attributes).toMatchObject({ 'messaging.message.id': event.id, 'platform.delivery.attempt': 1 });
      expect(call).toMatchObject({ parentSpanId: worker.spanId, name: 'POST', kind: 'client', failed: false });
      expect(call.attributes).toEqual({
        'http.request.method': 'POST',
        'http.response.status_code': 200,
        'server.address': '127.0.0.1',
        'server.port': Number(new URL(receiver.url).port),
      });
    });

  it('starts a trace for a request without one', async () => {
    const { header, event } = await deliveredTrace(null);
    const trace = partsOf(header)[1]!;
    expect(trace).not.toBe(event.id.replaceAll('-', ''));
    const { server } = await spansOf(trace);
    expect(server.parentSpanId ?? '').toBe('');
  });

  it('records failed attempts and their retries in the same trace', async () => {
    receiver.answer = () => ({ status: receiver.received.length === 1 ? 503 : 200 });
    const trace = traceId();
    const endpoint = await stage.endpoint(tenant, receiver.url);
    await createDeal(`00-${trace}-${SPAN}-01`);
    await until(() => receiver.received.length === 1);
    await until(async () => {
      await stage.sql('update data.webhook_queue set due_at = now() where endpoint_id = $1', [endpoint.id]);
      return receiver.received.length === 2;
    });
    expect(receiver.received.map(({ headers }) => partsOf(headers['traceparent'])[1])).toEqual([trace, trace]);
    const calls = await until(() => {
      const found = collector.trace(trace).filter(({ attributes }) => attributes['server.port'] !== undefined);
      return found.length === 2 ? found : null;
    });
    expect(calls.map(({ failed }) => failed)).toEqual([true, false]);
    expect(calls[0]!.attributes['error.type']).toBe('503');
    await remove(endpoint);
  });

  it('does not record a trace whose caller says so, but continues it', async () => {
    const [ignored, trace] = [traceId(), traceId()];
    const { header } = await deliveredTrace(`00-${ignored}-${SPAN}-00`);
    expect(header).toMatch(new RegExp(`^00-${ignored}-[0-9a-f]{16}-00$`));
    receiver.received.length = 0;
    await deliveredTrace(`00-${trace}-${SPAN}-01`);
    await spansOf(trace);
    expect(collector.trace(ignored)).toEqual([]);
  });

  it('sends no names, contents, queries or credentials', async () => {
    const trace = traceId();
    const words = ['Zanzibar', 'Ouagadougou', 'Timbuktu'];
    const headers = { traceparent: `00-${trace}-${SPAN}-01`, 'user-agent': words[1]! };
    await tenant.api.post('/api/v1/sales/deals', { name: words[0], value: 1 }, headers);
    await tenant.api.get(`/api/v1/sales/deals?q=${words[0]}`, headers);
    await tenant.api.get(`/api/v1/sales/deals/${words[2]}`, headers);
    await until(() => collector.trace(trace).filter(({ kind }) => kind === 'server').length === 3);
    for (const word of [...words, tenant.apiKey, tenant.apiKey.split('_').at(-1)!])
      expect(collector.text).not.toContain(word);
  });

  it('describes the process', async () => {
    await until(() => collector.resources.has('api'));
    expect(collector.resources.get('api')).toMatchObject({
      'service.namespace': 'tenant-operating-platform',
      'service.version': expect.stringMatching(/^\d+\.\d+\.\d+$/) as string,
      'service.instance.id': expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    });
  });

  it('sends what is left, and the metrics, when the process stops', async () => {
    const trace = traceId();
    await createDeal(`00-${trace}-${SPAN}-01`);
    await telemetry.stop();
    expect(collector.trace(trace).map(({ name }) => name)).toContain('POST /api/v1/sales/deals');
    const attributes = {
      'http.request.method': 'POST',
      'http.route': '/api/v1/sales/deals',
      'http.response.status_code': 201,
    };
    const sent = (name: string) => collector.metrics.filter((metric) => metric.name === name);
    expect(sent('http.server.request.duration')).toContainEqual(
      expect.objectContaining({ unit: 's', attributes, value: expect.any(Number) as number }),
    );
    const states = sent('db.client.connection.count').map((each) => each.attributes['db.client.connection.state']);
    expect(states).toEqual(['idle', 'used']);
    expect(collector.text).not.toContain('platform.webhooks'); // the API has no such figures
  });
});

describe('with a collector that does not accept anything', () => {
  for (const [kind, listen] of [
    ['is not there', false],
    ['never responds', true],
  ] as const)
    it(`serves requests and stops in time if it ${kind}, and logs it once`, async () => {
      const server = createServer(); // keeps requests open
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      if (!listen) await new Promise((resolve) => server.close(resolve));
      const settings = readSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
      const warnings: string[] = [];
      const logger = { warn: (text: string) => void warnings.push(text), info: () => undefined };
      const telemetry = (await startTelemetry({ settings, service: 'api', logger }))!;
      await open();
      telemetry.observe(stage.platform.app.get(Metrics));
      const trace = traceId();
      const { header } = await deliveredTrace(`00-${trace}-${SPAN}-01`);
      expect(partsOf(header)[1]).toBe(trace);
      const reason = listen ? 'Timeout|timed out' : 'ECONNREFUSED';
      await until(() => warnings.length > 0);
      for (let i = 0; i < 20; i++) expect((await createDeal(null)).status).toBe(201);
      const stopping = performance.now();
      await telemetry.stop();
      expect(performance.now() - stopping).toBeLessThan(3_000);
      expect(warnings).toEqual([expect.stringMatching(new RegExp(`^(Traces|Metrics) cannot be sent .*(${reason})`))]);
      server.closeAllConnections();
      server.close();
      await stage.close();
    });
});
