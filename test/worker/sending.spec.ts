import { jest } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import type { Plan } from '#libs/auth/plans.js';
import { until } from '#libs/testing/until.js';
import { LEASING, TENANT_CAPS } from '#libs/webhooks/leases/claim.js';
import { DeliveryConsumer } from '#libs/webhooks/sending/delivery.consumer.js';
import { DeliveryRepository } from '#libs/webhooks/leases/delivery.repository.js';
import { DirectSender } from '#libs/webhooks/sending/direct-sender.js';
import { EventFanOut } from '#libs/webhooks/relay/event-fan-out.js';
import { EventRelay } from '#libs/webhooks/relay/event.relay.js';
import { ATTEMPTS } from '#libs/webhooks/sending/first-attempt.js';
import { SendingJournal } from '#libs/webhooks/leases/sending-journal.js';
import { WorkerPresence } from '#libs/worker/worker-presence.js';
import type { TestTenant } from '../harness/platform.js';
import type { Receiver } from './receiver.js';
import { BACKENDS, Stage, type TestEndpoint } from './stage.js';

describe.each(BACKENDS)('with the queues on %s', (backend) => {
  const ROOM = { total: 1_000, retries: 1_000, slow: 1_000 };

  let stage: Stage;
  let worker: INestApplicationContext;
  let receiver: Receiver;
  beforeAll(async () => {
    stage = await Stage.open({}, backend);
  });
  beforeEach(async () => {
    for (const table of ['queue', 'sending']) await stage.sql(`delete from data.webhook_${table}`);
    worker = await stage.idleWorker();
    receiver = await stage.receiver();
  });
  afterEach(async () => {
    await receiver.close(); // ends open attempts
    await stage.stopWorkers();
  });
  afterAll(() => stage.close());

  async function stageOne(plan: Plan = 'enterprise') {
    const tenant = await stage.platform.tenant({ plan });
    const deals = async (count: number) => {
      for (let each = 0; each < count; each++) await stage.deal(tenant);
    };
    return { tenant, deals, endpoint: await stage.endpoint(tenant, receiver.url) };
  }

  /** Fans out events and sends direct deliveries. */
  async function pass(by = worker): Promise<void> {
    await by.get(EventRelay).pass({ direct: by.get(DirectSender), onDeliveries: () => undefined });
  }

  /** Numbers events and records what to send, like a worker that dies afterwards. */
  async function passAndDie(tenant: TestTenant, by = worker) {
    const room = { token: by.get(WorkerPresence).token(), most: 100 };
    return (await by.get(EventFanOut).next([{ tenantId: tenant.id, most: 100 }], room)).leased;
  }

  const claim = (by = worker) => by.get(DeliveryRepository).claim(ROOM, by.get(WorkerPresence).token());
  const statusesOf = async (endpoint: TestEndpoint) => (await stage.deliveries(endpoint)).map(({ status }) => status);
  const runOut = () => stage.sql('update data.webhook_sending set leased_until = now()');
  const attemptsOf = (endpoint: TestEndpoint) =>
    stage.sql<{ number: number; cause: string; http_status: number; error: string | null }>(
      `select number, cause, http_status, error from ${ATTEMPTS} a where endpoint_id = $1 order by number`,
      [endpoint.id],
    );

  describe('a first attempt', () => {
    it('creates the row of its delivery when it ends, as if it had existed before', async () => {
      const { tenant, endpoint, deals } = await stageOne();
      const letGo = receiver.holdUp();
      await deals(1);
      await pass();
      await until(() => receiver.received.length === 1);
      expect(await stage.deliveries(endpoint)).toEqual([]);
      const sending = await stage.sending(endpoint);
      expect(sending).toHaveLength(1);
      letGo();
      const [row] = await stage.statuses(endpoint, ['delivered']);
      expect(row).toMatchObject({ id: sending[0], attempts: 1, due_at: null, event_type: 'sales.deal.created' });
      expect(await stage.sending(endpoint)).toEqual([]);
      expect(await attemptsOf(endpoint)).toEqual([{ number: 1, cause: 'schedule', http_status: 200, error: null }]);
      const { body } = await tenant.api.get<Record<string, unknown>>(`/api/webhooks/deliveries/${row!.id}`);
      const { event } = receiver.received[0]!;
      expect(body).toMatchObject({ eventId: event.id, status: 'delivered', attempts: [{ number: 1 }] });
      const times = ['createdAt', 'deliveredAt'].map((name) => Date.parse(String(body[name])));
      expect(times[0]).toBeLessThanOrEqual(times[1]!);
      expect(receiver.received[0]!.headers['x-service-delivery']).toBe(row!.id);
    });

    it('that fails creates a row to be retried', async () => {
      const { endpoint, deals } = await stageOne();
      receiver.answer = { status: 500 };
      await deals(1);
      await pass();
      await stage.statuses(endpoint, ['retrying']);
      expect(await attemptsOf(endpoint)).toMatchObject([{ number: 1, http_status: 500, error: 'http_status' }]);
    });

    it('that takes long creates a row meanwhile', async () => {
      const { endpoint, deals } = await stageOne();
      const letGo = receiver.holdUp();
      await stage.worker();
      await deals(1);
      const [row] = await stage.statuses(endpoint, ['in_flight']);
      expect(row!.attempts).toBe(0);
      letGo();
      await stage.statuses(endpoint, ['delivered']);
      expect(receiver.received).toHaveLength(1);
      expect(await attemptsOf(endpoint)).toHaveLength(1);
    });

    it('that is released while its row is created leaves no lease', async () => {
      const { tenant, endpoint, deals } = await stageOne();
      let isCutOff = false;
      receiver.answer = (_received, response) => {
        response.once('close', () => (isCutOff = true));
        return 'open';
      };
      await deals(1);
      await pass();
      await until(() => receiver.received.length === 1);
      const leasing = await stage.transaction(LEASING);
      const journal = worker.get(SendingJournal);
      const recorded = journal.record(journal.of(tenant.id));
      await leasing.isWaitedFor();
      const consumer = worker.get(DeliveryConsumer);
      consumer.close();
      const drained = consumer.drain(0);
      await until(() => isCutOff);
      await leasing.end();
      await Promise.all([recorded, drained]);
      expect(await statusesOf(endpoint)).toEqual(['pending']);
      expect(await stage.sql('select lease_token from data.webhook_queue')).toEqual([{ lease_token: null }]);
    });

    it('whose row was just created is recorded with it, as are the results written with it', async () => {
      const { tenant, endpoint, deals } = await stageOne();
      const letGo = receiver.holdUp();
      await deals(2);
      await pass();
      await until(() => receiver.received.length === 2);
      const journal = worker.get(SendingJournal);
      const answered = jest.spyOn(journal, 'recorded').mockReturnValueOnce(undefined); // not yet
      await journal.record(journal.of(tenant.id).slice(0, 1));
      expect(answered).toHaveBeenCalledTimes(1);
      expect(journal.of(tenant.id)).toHaveLength(2);
      letGo();
      await stage.statuses(endpoint, ['delivered', 'delivered']);
      expect(await attemptsOf(endpoint)).toHaveLength(2);
    });

    it('is not made if its endpoint was paused meanwhile, and its delivery is held', async () => {
      const { tenant, endpoint, deals } = await stageOne();
      await deals(1);
      const fanOut = worker.get(EventFanOut);
      const next = fanOut.next.bind(fanOut);
      fanOut.next = async (...args) => {
        const done = await next(...args);
        expect((await tenant.api.post(`${endpoint.path}/pause`)).status).toBe(200);
        return done;
      };
      await pass();
      await stage.statuses(endpoint, ['held']);
      expect(receiver.received).toHaveLength(0);
    });
  });

  describe('the sending record of a worker', () => {
    it('is sent by another worker when it dies, with the same ids', async () => {
      const { tenant, endpoint, deals } = await stageOne();
      await deals(3);
      const leased = await passAndDie(tenant);
      await stage.worker(); // the first worker never held its lock
      const rows = await stage.statuses(endpoint, ['delivered', 'delivered', 'delivered']);
      expect(rows.map(({ id }) => id)).toEqual(leased.map(({ id }) => id));
      expect(receiver.received.map(({ event }) => event.id).toSorted()).toEqual(
        leased.map(({ eventId }) => eventId).toSorted(),
      );
    });

    it('gets a row once sent, and is not sent again when the worker dies', async () => {
      const { endpoint, deals } = await stageOne();
      await deals(2);
      await pass();
      await stage.statuses(endpoint, ['delivered', 'delivered']);
      await stage.sql('update data.webhook_sending set worker = 1');
      await stage.worker();
      await until(async () => (await stage.sql('select 1 from data.webhook_sending')).length === 0);
      expect(await statusesOf(endpoint)).toEqual(['delivered', 'delivered']);
      expect(receiver.received).toHaveLength(2);
    });

    it('is taken over after it expires although its worker is alive', async () => {
      const { tenant, endpoint, deals } = await stageOne();
      await deals(1);
      await worker.get(WorkerPresence).beKnown();
      await passAndDie(tenant);
      const other = await stage.idleWorker();
      await other.get(SendingJournal).tend();
      expect(await stage.sending(endpoint)).toHaveLength(1);
      await runOut();
      const another = await stage.idleWorker();
      await another.get(SendingJournal).tend();
      expect(await stage.sending(endpoint)).toEqual([]);
      expect(await statusesOf(endpoint)).toEqual(['pending']);
      expect(await claim(another)).toHaveLength(1);
    });

    it('counts against the limits of all workers until it has a row', async () => {
      const { tenant, endpoint, deals } = await stageOne('free');
      await deals(TENANT_CAPS.free + 2);
      expect(await passAndDie(tenant)).toHaveLength(TENANT_CAPS.free);
      const other = await stage.idleWorker();
      expect(await claim(other)).toEqual([]);
      expect(await claim()).toEqual([]);
      await stage.sql('delete from data.webhook_queue');
      await deals(1);
      expect(await passAndDie(tenant, other)).toEqual([]);
      const journal = worker.get(SendingJournal);
      await journal.record(journal.of(tenant.id));
      expect(await claim(other)).toEqual([]);
      await stage.sql(`delete from data.webhook_queue where lease_token is not null`);
      expect(await claim(other)).toHaveLength(1);
      expect(await stage.sending(endpoint)).toEqual([]);
    });

    it('does not count as never attempted in a recovery', async () => {
      const { tenant, endpoint, deals } = await stageOne();
      await deals(2);
      await passAndDie(tenant);
      const body = { since: new Date(Date.now() - 60_000).toISOString(), statuses: ['never_attempted'] };
      const dry = await tenant.api.post<{ matched: number }>(`${endpoint.path}/recover`, { ...body, dryRun: true });
      expect(dry.body.matched).toBe(0);
    });
  });

  /** Makes writing the results of the worker fail; returns a counter and a restore function. */
  function refuseResults(repository: DeliveryRepository) {
    const settle = repository.settle.bind(repository);
    const refusing = { count: 0, end: () => void (repository.settle = settle) };
    repository.settle = () => {
      refusing.count++;
      return Promise.reject(new Error('refused'));
    };
    return refusing;
  }

  describe('an unknown outcome in a process', () => {
    /** Simulates a lost response to the commit. */
    async function passUnanswered(tenant: TestTenant) {
      const leased = await passAndDie(tenant);
      worker.get(SendingJournal).withdraw(leased);
      return leased;
    }

    it('stays recorded until it has a row, whatever the tenant does meanwhile', async () => {
      const { tenant, endpoint, deals } = await stageOne();
      await deals(2);
      const unknown = await passUnanswered(tenant);
      expect(unknown).toHaveLength(2);
      await deals(1);
      expect(await passAndDie(tenant)).toHaveLength(1); // through the queue, leased at creation
      expect(await stage.sending(endpoint)).toEqual(unknown.map(({ id }) => id));
      await worker.get(SendingJournal).tend();
      expect(await statusesOf(endpoint)).toEqual(['pending', 'pending', 'in_flight']);
      expect(worker.get(SendingJournal).takes(tenant.id)).toBe(true);
    });

    it('is awaited while it may still be committed', async () => {
      const { tenant, endpoint, deals } = await stageOne();
      await deals(1);
      await passUnanswered(tenant);
      const notes = await stage.sql<Record<string, unknown>>(
        'delete from data.webhook_sending returning tenant_id, worker, entries::text, leased_until',
      );
      const late = await stage.transaction(LEASING);
      await late.client.query('insert into data.webhook_sending values ($1, $2, $3, $4)', Object.values(notes[0]!));
      const resolved = worker.get(SendingJournal).resolve();
      await late.isWaitedFor();
      await late.end();
      await resolved;
      expect(await statusesOf(endpoint)).toEqual(['pending']);
    });

    it('is not sent twice while others of its tenant are in flight', async () => {
      const { tenant, endpoint, deals } = await stageOne();
      const letGo = receiver.holdUp();
      await deals(1);
      await pass();
      await until(() => receiver.received.length === 1);
      await deals(1);
      const [unknown] = await passUnanswered(tenant);
      await worker.get(SendingJournal).tend();
      expect((await stage.deliveries(endpoint)).map(({ id, status }) => [id, status])).toEqual([
        [unknown!.id, 'pending'],
      ]);
      expect(await stage.sending(endpoint)).toHaveLength(1);
      letGo();
      await stage.statuses(endpoint, ['delivered', 'pending']);
    });

    it('becomes due again when its result could not be written', async () => {
      const { endpoint, deals } = await stageOne();
      const refusing = refuseResults(worker.get(DeliveryRepository));
      await deals(1);
      await pass();
      await until(() => refusing.count > 0);
      await until(async () => {
        await worker.get(SendingJournal).tend();
        return (await statusesOf(endpoint)).join() === 'pending';
      });
      refusing.end();
      expect(await claim()).toHaveLength(1);
    });

    it('is not recorded when another worker has created its row meanwhile and sends it again', async () => {
      const { tenant, endpoint, deals } = await stageOne();
      const letGo = receiver.holdUp();
      await deals(1);
      await pass();
      await until(() => receiver.received.length === 1);
      await runOut();
      await (await stage.idleWorker()).get(SendingJournal).tend();
      expect(await statusesOf(endpoint)).toEqual(['pending']);
      letGo();
      await until(() => worker.get(SendingJournal).of(tenant.id).length === 0);
      expect(await statusesOf(endpoint)).toEqual(['pending']);
      expect(await attemptsOf(endpoint)).toEqual([]);
    });
  });

  it('a record made before its endpoint was ordered blocks its lane', async () => {
    const { tenant, endpoint } = await stageOne();
    const letGo = receiver.holdUp();
    const dealId = await stage.deal(tenant);
    await pass();
    await until(() => receiver.received.length === 1);
    expect((await tenant.api.patch(endpoint.path, { ordering: 'per_resource' })).status).toBe(200);
    await tenant.api.patch(`/api/v1/sales/deals/${dealId}`, { name: 'Acme, renewed' });
    expect(await passAndDie(tenant)).toEqual([]);
    expect(await claim()).toEqual([]);
    letGo();
    await stage.statuses(endpoint, ['delivered', 'pending']);
    expect(await claim()).toHaveLength(1);
  });
});
