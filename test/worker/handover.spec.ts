import { until } from '#libs/testing/until.js';
import { ATTEMPTS } from '#libs/webhooks/sending/first-attempt.js';
import { BACKENDS, Stage } from './stage.js';

describe.each(BACKENDS)('with the queues on %s', (backend) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open({}, backend);
  });
  afterEach(() => stage.stopWorkers());
  afterAll(() => stage.close());

  it('an attempt finished by a stopping worker is not repeated by another meanwhile', async () => {
    const tenant = await stage.platform.tenant();
    const receiver = await stage.receiver();
    const endpoint = await stage.endpoint(tenant, receiver.url);
    const first = await stage.worker();
    receiver.answer = (_received, response) => {
      setTimeout(() => response.writeHead(204).end(), 5_000);
      return 'open';
    };
    await stage.deal(tenant);
    await until(() => Promise.resolve(receiver.received.length === 1));
    await stage.worker();
    await first.close();
    await stage.statuses(endpoint, ['delivered']);
    expect(receiver.received).toHaveLength(1);
    const rows = await stage.sql<{ number: number }>(`select number from ${ATTEMPTS} a where endpoint_id = $1`, [
      endpoint.id,
    ]);
    expect(rows).toHaveLength(1);
  });
});
