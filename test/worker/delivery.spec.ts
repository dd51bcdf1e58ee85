import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Webhook } from 'standardwebhooks';
import { resolved } from '#libs/http/openapi/references.js';
import { until } from '#libs/testing/until.js';
import type { Received } from './receiver.js';
import { BACKENDS, Stage, type TestEndpoint } from './stage.js';

/** Direct deliveries use no queue job; with a rate limit every delivery does. */
const WAYS = [
  { way: 'sent directly', backend: 'PostgreSQL', maxPerSecond: null },
  ...BACKENDS.map((backend) => ({ way: `with the queues on ${backend}`, backend, maxPerSecond: 1_000 })),
] as const;

/** Headers of the connection or of the body. */
const OF_HTTP = ['host', 'connection', 'content-length', 'content-type', 'accept-encoding'];
const GUIDE = readFileSync(new URL('../../docs/guides/receiving-webhooks.md', import.meta.url), 'utf8');

describe.each(WAYS)('$way', ({ backend, maxPerSecond }) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open({}, backend);
    await stage.worker();
  });
  afterAll(() => stage.close());

  const hex = (secret: string, body: string) => createHmac('sha256', secret).update(body).digest('hex');
  const verify = (secret: string, { body, headers }: Received) =>
    new Webhook(secret).verify(body, headers as Record<string, string>);

  async function stageOne() {
    const tenant = await stage.platform.tenant();
    const receiver = await stage.receiver();
    const endpoint = await stage.endpoint(tenant, receiver.url, { maxPerSecond });
    return { tenant, receiver, endpoint };
  }

  describe('a created deal', () => {
    it('is delivered to the receiver, signed in both forms', async () => {
      const { tenant, receiver, endpoint } = await stageOne();
      const dealId = await stage.deal(tenant);
      const [delivery] = await stage.statuses(endpoint, ['delivered']);
      const [received] = receiver.received;
      const { headers, body, event } = received!;
      expect(event).toMatchObject({
        type: 'sales.deal.created',
        schemaVersion: 1,
        tenantId: tenant.id,
        subject: { type: 'sales.deal', id: dealId, url: `/api/v1/sales/deals/${dealId}` },
        data: { id: dealId, value: 25_000 },
      });
      expect(headers['x-service-signature']).toBe(hex(endpoint.secret, body));
      expect(headers['x-service-signature-previous']).toBeUndefined();
      expect(verify(endpoint.secret, received!)).toEqual(event);
      expect(headers).toMatchObject({
        'webhook-id': event.id,
        'x-service-event': 'sales.deal.created',
        'x-service-event-version': '1',
        'x-service-delivery': delivery!.id,
        'x-service-attempt': '1',
        traceparent: expect.stringMatching(
          new RegExp(`^00-${event.id.replaceAll('-', '')}-[0-9a-f]{12}0001-01$`),
        ) as string,
        'content-type': 'application/json; charset=utf-8',
      });
      expect(receiver.received).toHaveLength(1);
    });

    it('is delivered to exactly the endpoints whose patterns match', async () => {
      const { tenant, receiver } = await stageOne();
      const patterns = [['*'], ['sales.*'], ['sales.deal.*'], ['sales.deal.created'], ['webhook.*', 'sales.deal.won']];
      const endpoints: TestEndpoint[] = [];
      for (const eventTypes of patterns)
        endpoints.push(await stage.endpoint(tenant, receiver.url, { eventTypes, maxPerSecond }));
      const stranger = await stage.platform.tenant();
      const foreign = await stage.endpoint(stranger, receiver.url, { eventTypes: ['*'] });
      await stage.deal(tenant);
      const typesOf = async (endpoint: TestEndpoint) =>
        (await stage.deliveries(endpoint))
          .map((delivery) => delivery.event_type)
          .filter((type) => type !== 'sales.pipeline.created');
      await stage.statuses(endpoints[3]!, ['delivered']);
      const received = [];
      for (const endpoint of endpoints.slice(0, 4)) received.push((await typesOf(endpoint)).at(-1));
      expect(received).toEqual(Array(4).fill('sales.deal.created'));
      expect(await typesOf(endpoints[4]!)).not.toContain('sales.deal.created');
      expect(await typesOf(foreign)).not.toContain('sales.deal.created');
    });
  });

  describe('its headers', () => {
    interface Header {
      name: string;
      in: string;
      required: boolean;
    }
    interface Webhooks {
      webhooks: Record<string, { post: { parameters: { $ref: string }[] } }>;
    }
    /** Headers of every event in the OpenAPI document. */
    function documented(): Header[] {
      const { document } = stage.platform;
      const { webhooks } = document as unknown as Webhooks; // typed by the members read here
      const { parameters } = webhooks['*']!.post;
      return parameters.map((each) => resolved<Header>(document, each));
    }
    const sent = ({ headers }: Received) =>
      Object.keys(headers)
        .filter((name) => !OF_HTTP.includes(name))
        .sort();

    it('match the OpenAPI document and the guide, some only in a replay during a rotation', async () => {
      const { tenant, receiver, endpoint } = await stageOne();
      await stage.deal(tenant);
      const [delivery] = await stage.statuses(endpoint, ['delivered']);
      const headers = documented().filter((parameter) => parameter.in === 'header');
      const names = headers.map(({ name }) => name).sort();
      const required = headers.filter((header) => header.required).map(({ name }) => name);
      expect(sent(receiver.received[0]!)).toEqual(required.sort());

      await tenant.api.post(`${endpoint.path}/rotate-secret`);
      await tenant.api.post(`/api/webhooks/deliveries/${delivery!.id}/resend`);
      await until(() => receiver.received.length === 2);
      expect(sent(receiver.received[1]!)).toEqual(names);
      const table = GUIDE.slice(GUIDE.indexOf('| Header '), GUIDE.indexOf('\nThe body is the event'));
      const told = [...table.matchAll(/^\| `([a-z-]+)` /gm)].map(([, name]) => name!);
      expect(told.sort()).toEqual([...names, 'content-type'].sort());
      const { 'user-agent': agent, 'content-type': type } = receiver.received[0]!.headers;
      for (const value of [agent, type]) expect(table).toContain(`| \`${value}\` `);
    });
  });

  describe('a changed endpoint', () => {
    it('applies to the next delivery, even from a worker that cached it', async () => {
      const { tenant, receiver, endpoint } = await stageOne();
      await stage.deal(tenant);
      await stage.statuses(endpoint, ['delivered']);
      const other = await stage.receiver();
      const change = { url: other.url, customHeaders: { 'x-site': 'Boston' } };
      expect((await tenant.api.patch(endpoint.path, change)).status).toBe(200);
      await stage.deal(tenant);
      await stage.statuses(endpoint, ['delivered', 'delivered']);
      expect(receiver.received).toHaveLength(1);
      expect(other.received.map(({ headers }) => headers['x-site'])).toEqual(['Boston']);
    });
  });

  describe('a rotated secret', () => {
    it('signs together with the previous one during the grace period, and alone afterwards', async () => {
      const { tenant, receiver, endpoint } = await stageOne();
      const { secret: old, path } = endpoint;
      const { body } = await tenant.api.post<{ secret: string }>(`${path}/rotate-secret`, { graceSeconds: 3_600 });
      await stage.deal(tenant);
      await stage.statuses(endpoint, ['delivered']);
      const during = receiver.received[0]!;
      expect(during.headers['x-service-signature']).toBe(hex(body.secret, during.body));
      expect(during.headers['x-service-signature-previous']).toBe(hex(old, during.body));
      expect(verify(body.secret, during)).toEqual(during.event);
      expect(verify(old, during)).toEqual(during.event);

      const expire = `update data.webhook_endpoints set previous_secret_expires_at = now() where id = $1`;
      await stage.sql(expire, [endpoint.id]);
      await stage.deal(tenant);
      await stage.statuses(endpoint, ['delivered', 'delivered']);
      const after = receiver.received[1]!;
      expect(after.headers['x-service-signature']).toBe(hex(body.secret, after.body));
      expect(after.headers['x-service-signature-previous']).toBeUndefined();
      expect(verify(body.secret, after)).toEqual(after.event);
      expect(() => verify(old, after)).toThrow();
    });

    it('signs alone immediately without a grace period', async () => {
      const { tenant, receiver, endpoint } = await stageOne();
      const { body } = await tenant.api.post<{ secret: string }>(`${endpoint.path}/rotate-secret`, { graceSeconds: 0 });
      await stage.deal(tenant);
      await stage.statuses(endpoint, ['delivered']);
      expect(receiver.received[0]!.headers['x-service-signature-previous']).toBeUndefined();
      expect(verify(body.secret, receiver.received[0]!)).toEqual(receiver.received[0]!.event);
    });
  });
});
