import { readSettings } from '#libs/config/settings.js';
import { Stage } from '../../worker/stage.js';

/** Network of the test receivers. The rest of 127.0.0.0/8, also on this machine, may be called. */
const CLOSED = '127.0.0.1';
const OPEN_URL = 'http://127.0.0.2:9/hook';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open({ WEBHOOK_DENIED_CIDRS: `198.20.0.0/16, ${CLOSED}/32` });
  await stage.worker();
});
afterAll(() => stage.close());

const refused = (pointer: string) => ({
  status: 400,
  body: { errors: expect.arrayContaining([expect.objectContaining({ pointer, code: 'address_not_allowed' })]) as [] },
});

it.each([`http://${CLOSED}:9/`, `http://[::ffff:${CLOSED}]:9/`, 'http://[64:ff9b::7f00:1]:9/'])(
  'no endpoint can be created in or moved to a denied network: %s',
  async (url) => {
    const tenant = await stage.platform.tenant();
    expect(await tenant.api.post('/api/webhooks/endpoints', { url, eventTypes: ['*'] })).toMatchObject(refused('/url'));
    const endpoint = await stage.endpoint(tenant, OPEN_URL);
    expect(await tenant.api.patch(endpoint.path, { url })).toMatchObject(refused('/url'));
  },
);

it('nothing is sent to a denied network, even if the endpoint existed before', async () => {
  const tenant = await stage.platform.tenant();
  const receiver = await stage.receiver();
  const endpoint = await stage.endpoint(tenant, OPEN_URL);
  await stage.sql('update data.webhook_endpoints set url = $2 where id = $1', [endpoint.id, receiver.url]);
  await stage.deal(tenant);
  const [delivery] = await stage.statuses(endpoint, ['retrying']);
  expect((await tenant.api.get(`/api/webhooks/deliveries/${delivery!.id}`)).body).toMatchObject({
    attempts: [{ error: 'blocked_address', remoteAddress: null }],
  });
  const tested = await tenant.api.post(`${endpoint.path}/test`);
  expect(tested.body).toMatchObject({ delivered: false, error: 'blocked_address' });
  expect(receiver.received).toEqual([]);
});

it('no AI provider can be in a denied network', async () => {
  const tenant = await stage.platform.tenant();
  const provider = { key: 'own', api: 'openai', baseUrl: `http://${CLOSED}:9/v1` };
  expect(await tenant.api.post('/api/ai/providers', provider)).toMatchObject(refused('/baseUrl'));
});

it('an invalid network prevents startup', () => {
  for (const text of ['198.20.0.1', '198.20.0.0/33', '2a00::/129', 'example.com', '10.0.0.0/8 198.20.0.0/16'])
    expect(() => readSettings({ WEBHOOK_DENIED_CIDRS: text })).toThrow(
      /^WEBHOOK_DENIED_CIDRS "[^"]+" is not a network/,
    );
});
