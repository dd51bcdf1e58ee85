import { Stage } from '../../worker/stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

async function stageOne(more: Record<string, unknown>) {
  const tenant = await stage.platform.tenant();
  const receiver = await stage.receiver();
  const endpoint = await stage.endpoint(tenant, receiver.url, more);
  const test = (eventType: string) => tenant.api.post(`${endpoint.path}/test`, { eventType });
  return { tenant, receiver, endpoint, test };
}

describe('a test of an endpoint is sent like its deliveries', () => {
  it('with its current headers', async () => {
    const { tenant, receiver, endpoint, test } = await stageOne({
      customHeaders: { Authorization: 'Bearer abc', 'X-Env': 'blue green' },
    });
    await test('webhook.ping');
    await tenant.api.patch(endpoint.path, { customHeaders: { authorization: 'Bearer def', 'X-Env': null } });
    await test('webhook.ping');
    await tenant.api.post(`${endpoint.path}/verify`);
    const sent = receiver.received.map(({ headers }) => [headers['authorization'], headers['x-env']]);
    expect(sent).toEqual([
      ['Bearer abc', 'blue green'],
      ['Bearer def', undefined],
      ['Bearer def', undefined],
    ]);
  });

  it('without the record if thin, but always with the data of a ping or challenge', async () => {
    const { tenant, receiver, endpoint, test } = await stageOne({ payloadMode: 'thin' });
    expect((await test('sales.deal.won')).body).toMatchObject({ delivered: true });
    await test('webhook.ping');
    await tenant.api.post(`${endpoint.path}/verify`);
    expect(receiver.received.map(({ event }) => event)).toMatchObject([
      { type: 'sales.deal.won', sequence: '0', subject: { type: 'sales.deal' }, data: { thin: true }, changes: null },
      { type: 'webhook.ping', data: { message: 'ping' } },
      { type: 'webhook.verification', data: { challenge: expect.any(String) } },
    ]);
  });
});
