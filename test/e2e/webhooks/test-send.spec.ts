import { Webhook } from 'standardwebhooks';
import { Stage } from '../../worker/stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

interface TestResult {
  delivered: boolean;
  httpStatus: number | null;
  durationMs: number;
  error: string | null;
  responseExcerpt: string | null;
  eventId: string;
}

async function stageOne() {
  const tenant = await stage.platform.tenant();
  const receiver = await stage.receiver();
  const endpoint = await stage.endpoint(tenant, receiver.url);
  return { tenant, receiver, endpoint, path: `${endpoint.path}/test` };
}

describe('a test of a webhook endpoint', () => {
  it('sends a signed ping immediately and returns the response', async () => {
    const { tenant, receiver, endpoint, path } = await stageOne();
    const { status, body } = await tenant.api.post<TestResult>(path);
    expect(status).toBe(200);
    expect(body).toMatchObject({ delivered: true, httpStatus: 200, error: null, responseExcerpt: 'thanks' });
    const [ping] = receiver.received;
    expect(new Webhook(endpoint.secret).verify(ping!.body, ping!.headers as Record<string, string>)).toEqual(
      ping!.event,
    );
    expect(ping!.event).toMatchObject({
      id: body.eventId,
      type: 'webhook.ping',
      sequence: '0',
      tenantId: tenant.id,
      subject: { type: 'webhook.endpoint', id: endpoint.id },
      data: { endpointId: endpoint.id, message: 'ping' },
    });
    expect(ping!.headers).toMatchObject({ 'x-service-event': 'webhook.ping', 'x-service-attempt': '1' });
  });

  it('sends the example of any event type, and rejects unknown types', async () => {
    const { tenant, receiver, path } = await stageOne();
    expect((await tenant.api.post<TestResult>(path, { eventType: 'sales.deal.won' })).body.delivered).toBe(true);
    const { event } = receiver.received[0]!;
    expect(event).toMatchObject({
      type: 'sales.deal.won',
      subject: { id: event.data['id'], url: `/api/v1/sales/deals/${String(event.data['id'])}` },
      data: { object: 'sales.deal' },
    });
    const unknown = await tenant.api.post<{ errors: object[] }>(path, { eventType: 'sales.deal.exploded' });
    expect(unknown.status).toBe(400);
    expect(unknown.body.errors).toMatchObject([{ pointer: '/eventType', code: 'unknown_event_type' }]);
  });

  it('signs with both secrets during the grace period of a rotation', async () => {
    const { tenant, receiver, endpoint, path } = await stageOne();
    const { body } = await tenant.api.post<{ secret: string }>(`${endpoint.path}/rotate-secret`);
    await tenant.api.post(path);
    const [ping] = receiver.received;
    for (const secret of [body.secret, endpoint.secret])
      expect(new Webhook(secret).verify(ping!.body, ping!.headers as Record<string, string>)).toEqual(ping!.event);
  });

  it('works in any state of the endpoint', async () => {
    const { tenant, endpoint, path } = await stageOne();
    for (const action of ['pause', 'disable']) {
      await tenant.api.post(`${endpoint.path}/${action}`);
      expect((await tenant.api.post<TestResult>(path)).body.delivered).toBe(true);
    }
  });

  it('reports the error', async () => {
    const { tenant, receiver, path } = await stageOne();
    receiver.answer = { status: 503, body: 'busy' };
    const refused = await tenant.api.post<TestResult>(path);
    expect(refused.status).toBe(200);
    expect(refused.body).toMatchObject({
      delivered: false,
      httpStatus: 503,
      error: 'http_status',
      responseExcerpt: 'busy',
    });
    await receiver.close();
    const gone = await tenant.api.post<TestResult>(path);
    expect(gone.body).toMatchObject({
      delivered: false,
      httpStatus: null,
      error: 'connect_refused',
      responseExcerpt: null,
    });
  });

  it('is not a delivery, is not retried, and is audited', async () => {
    const { tenant, receiver, endpoint, path } = await stageOne();
    receiver.answer = { status: 410 };
    await tenant.api.post(path);
    expect(receiver.received).toHaveLength(1);
    expect(await stage.deliveries(endpoint)).toEqual([]);
    expect((await tenant.api.get(endpoint.path)).body).toMatchObject({ status: 'enabled', version: 1 });
    const log = await tenant.api.get<{ data: object[] }>('/api/admin/audit-logs?action=webhook.endpoint.tested');
    expect(log.body.data).toMatchObject([{ outcome: 'failed', reason: 'endpoint_gone', target: { id: endpoint.id } }]);
  });

  it('is sent once per idempotency key', async () => {
    const { tenant, receiver, path } = await stageOne();
    const send = () => tenant.api.post(path, {}, { 'idempotency-key': 't' });
    expect((await send()).text).toBe((await send()).text);
    expect(receiver.received).toHaveLength(1);
  });
});
