import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { Stage } from './stage.js';
import { until } from './until.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
  await stage.worker();
});
afterAll(() => stage.close());

const hex = (secret: string, body: string) => createHmac('sha256', secret).update(body).digest('hex');

describe('a created deal', () => {
  it('reaches the receiver, signed in both forms', async () => {
    const tenant = await stage.platform.tenant();
    const receiver = await stage.receiver();
    const endpoint = await stage.endpoint(tenant, receiver.url);
    const dealId = await stage.deal(tenant);
    await stage.statuses(endpoint, ['delivered']);
    const { headers, body, event } = receiver.ofType('sales.deal.created')[0]!;
    expect(event).toMatchObject({
      type: 'sales.deal.created',
      data: { id: dealId, value: 25_000 },
      tenantId: tenant.id,
    });
    expect(headers['x-service-signature']).toBe(hex(endpoint.secret, body));
    expect(headers['x-service-signature-previous']).toBeUndefined();
    expect(new Webhook(endpoint.secret).verify(body, headers as Record<string, string>)).toEqual(event);
    const [delivery] = await stage.deliveries(endpoint);
    expect(headers).toMatchObject({
      'webhook-id': event.id,
      'x-service-event': 'sales.deal.created',
      'x-service-event-version': '1',
      'x-service-delivery': delivery!.id,
      'x-service-attempt': '1',
      'content-type': 'application/json; charset=utf-8',
    });
    await until(() => receiver.received.length === 1);
  });
});
