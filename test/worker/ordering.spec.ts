import { EventRelay } from '#libs/webhooks/relay/event.relay.js';
import { until } from '#libs/testing/until.js';
import type { TestTenant } from '../harness/platform.js';
import { BACKENDS, Stage } from './stage.js';

describe.each(BACKENDS)('with the queues on %s', (backend) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open({}, backend);
  });
  afterEach(() => stage.stopWorkers());
  afterAll(() => stage.close());

  /** Creates a deal and changes it twice: three events of one resource. */
  async function story(tenant: TestTenant, name: string): Promise<string> {
    const id = await stage.deal(tenant, name);
    for (const step of ['a', 'b']) await tenant.api.patch(`/api/v1/sales/deals/${id}`, { name: `${name} ${step}` });
    return id;
  }

  describe('an endpoint with ordering per resource', () => {
    it('parks only the resource whose event failed, and receives its events in order', async () => {
      const tenant = await stage.platform.tenant();
      const receiver = await stage.receiver();
      const endpoint = await stage.endpoint(tenant, receiver.url, { ordering: 'per_resource' });
      let stuck = '';
      receiver.answer = ({ event }) => ({ status: event.data['id'] === stuck ? 500 : 204 });
      stuck = await story(tenant, 'first');
      const other = await story(tenant, 'second');
      await stage.worker();
      await stage.statuses(endpoint, ['retrying', 'pending', 'pending', 'delivered', 'delivered', 'delivered']);
      const told = (id: string) =>
        receiver.received.filter(({ event }) => event.data['id'] === id).map(({ event }) => event.data['name']);
      expect(told(other)).toEqual(['second', 'second a', 'second b']);
      expect(told(stuck)).toEqual(['first']);

      // New events wait as well, although the endpoint accepts everything again.
      receiver.answer = { status: 204 };
      await tenant.api.patch(`/api/v1/sales/deals/${stuck}`, { name: 'first c' });
      await until(async () => (await stage.deliveries(endpoint)).length === 7);
      expect(told(stuck)).toEqual(['first']);
      const waiting = await stage.sql<{ early: boolean }>(
        `select q.due_at < (select min(due_at) from data.webhook_queue where retry) as early
       from data.webhook_queue q where endpoint_id = $1 and not retry`,
        [endpoint.id],
      );
      expect(waiting.map(({ early }) => early)).toEqual([false, false, false]);
      await stage.makeDue(endpoint);
      await stage.statuses(
        endpoint,
        Array.from({ length: 7 }, () => 'delivered'),
      );
      expect(told(stuck)).toEqual(['first', 'first', 'first a', 'first b', 'first c']);
    });

    it('has one event of a resource in flight, even when several were waiting', async () => {
      const tenant = await stage.platform.tenant();
      const receiver = await stage.receiver();
      const endpoint = await stage.endpoint(tenant, receiver.url, { ordering: 'per_resource' });
      const idle = await stage.idleWorker();
      await story(tenant, 'third');
      await idle.get(EventRelay).pass();
      let open = 0;
      let most = 0;
      receiver.answer = (_received, response) => {
        most = Math.max(most, ++open);
        setTimeout(() => {
          open--;
          response.writeHead(204).end();
        }, 20);
        return 'open';
      };
      await stage.worker();
      await stage.statuses(endpoint, ['delivered', 'delivered', 'delivered']);
      expect(most).toBe(1);
      expect(receiver.received.map(({ event }) => event.data['name'])).toEqual(['third', 'third a', 'third b']);
    });
  });
});
