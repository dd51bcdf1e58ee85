import { Metrics } from '#libs/metrics/metrics.js';
import { until } from '#libs/testing/until.js';
import { EventRelay } from '#libs/webhooks/relay/event.relay.js';
import { QueueFigures } from '#libs/webhooks/queue-figures.js';
import { SetAsideEvents } from '#libs/webhooks/relay/set-aside-events.js';
import { operatorOf } from '../cli/operator.js';
import { AUDITED } from '../harness/audit.js';
import type { TestTenant } from '../harness/platform.js';
import { BACKENDS, Stage } from './stage.js';

describe.each(BACKENDS)('with the queues on %s', (backend) => {
  interface SetAside {
    sequence: string;
    attempts: number;
    error: string;
    /** Seconds until the next retry; null when it was given up. */
    pause: number | null;
  }

  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open({}, backend);
    await stage.sql(`
    create table public.faults (subject_id text primary key);
    create function public.fail() returns trigger security definer language plpgsql as $$ begin
      if exists (select 1 from public.faults where subject_id = new.subject_id) then raise exception 'no way'; end if;
      return new;
    end $$;
    create trigger fail before insert on data.webhook_deliveries for each row execute function public.fail()`);
  });
  afterEach(async () => {
    await stage.stopWorkers();
    await mend();
    await stage.sql('delete from data.events_set_aside');
  });
  afterAll(() => stage.close());

  const breakFor = (subjectId: string) => stage.sql('insert into public.faults values ($1)', [subjectId]);
  const mend = () => stage.sql('delete from public.faults');
  const setAside = (tenant: TestTenant) =>
    stage.sql<SetAside>(
      `select sequence, attempts, error, round(extract(epoch from due_at - now()))::int as pause
     from data.events_set_aside where tenant_id = $1`,
      [tenant.id],
    );
  const makeDue = () => stage.sql('update data.events_set_aside set due_at = now() where due_at is not null');
  /** A tenant with an endpoint and a won deal whose event could not be fanned out. */
  async function faulty() {
    const tenant = await stage.platform.tenant();
    const receiver = await stage.receiver();
    const endpoint = await stage.endpoint(tenant, receiver.url, { eventTypes: ['sales.deal.won'] });
    const worker = await stage.idleWorker();
    const deal = await stage.deal(tenant);
    await breakFor(deal);
    await tenant.api.post(`/api/v1/sales/deals/${deal}/win`);
    const relay = worker.get(EventRelay);
    await until(async () => (await relay.dispatch(tenant.id)) === 0);
    const [{ sequence }] = (await setAside(tenant)) as [SetAside];
    return { tenant, receiver, endpoint, worker, deal, sequence };
  }

  describe('an event that could not be fanned out', () => {
    it('is fanned out once the fault is fixed, to endpoints and flows, once, with its original number', async () => {
      const { tenant, receiver, endpoint, deal, sequence } = await faulty();
      const runs = () => stage.sql('select kind from data.automation_runs where subject_id = $1', [deal]);
      expect(await stage.deliveries(endpoint)).toEqual([]);
      expect(await runs()).toEqual([]);
      await mend();
      await stage.worker();
      await stage.statuses(endpoint, ['delivered']);
      expect(receiver.received.map(({ event }) => [event.type, event.sequence])).toEqual([
        ['sales.deal.won', sequence],
      ]);
      expect((await runs()).length).toBeGreaterThan(0);
      expect(await setAside(tenant)).toEqual([]);
    });

    it('is retried ten times with increasing delays, then given up but kept', async () => {
      const { tenant, worker } = await faulty();
      const events = worker.get(SetAsideEvents);
      for (const [index, pause] of [1, 5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400].entries()) {
        expect(await setAside(tenant)).toEqual([
          { sequence: expect.any(String), attempts: index + 1, error: expect.stringContaining('no way'), pause },
        ]);
        expect(await events.pass()).toBe('none');
        await makeDue();
        expect(await events.pass()).toBe('some');
      }
      expect(await setAside(tenant)).toMatchObject([{ attempts: 10, pause: null }]);
      expect(await events.pass()).toBe('none');
      const read = async () => {
        await worker.get(QueueFigures).read();
        const text = await worker.get(Metrics).registry.metrics();
        return ['events_set_aside', 'events_given_up'].map((name) =>
          Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)![1]),
        );
      };
      expect(await read()).toEqual([0, 1]);
    });

    it('goes to the endpoints that existed then, with their current settings', async () => {
      const { tenant, endpoint, receiver, worker } = await faulty();
      const later = await stage.endpoint(tenant, receiver.url, { eventTypes: ['sales.deal.won'] });
      const paused = await tenant.api.post(`${endpoint.path}/pause`);
      expect(paused.status).toBe(200);
      await mend();
      await makeDue();
      await worker.get(SetAsideEvents).pass();
      expect((await stage.deliveries(endpoint)).map(({ status }) => status)).toEqual(['held']);
      expect(await stage.deliveries(later)).toEqual([]);
    });

    it('is fanned out once with concurrent workers', async () => {
      const { tenant, endpoint, worker } = await faulty();
      const workers = [worker, await stage.idleWorker(), await stage.idleWorker()];
      await mend();
      await makeDue();
      await Promise.all(workers.map((each) => each.get(SetAsideEvents).pass()));
      expect(await stage.deliveries(endpoint)).toHaveLength(1);
      expect(await setAside(tenant)).toEqual([]);
    });

    it('does not block other due events', async () => {
      const [broken, sound] = [await faulty(), await faulty()];
      await mend();
      await breakFor(broken.deal);
      await makeDue();
      await sound.worker.get(SetAsideEvents).pass();
      expect(await stage.deliveries(sound.endpoint)).toHaveLength(1);
      expect(await setAside(broken.tenant)).toMatchObject([{ attempts: 2 }]);
    });
  });

  describe('the operator', () => {
    it('sees given-up events and can retry them, which is audited in the tenant', async () => {
      const { tenant, endpoint, worker, sequence } = await faulty();
      const other = await faulty();
      await stage.sql('update data.events_set_aside set attempts = 10, due_at = null');
      const operator = operatorOf(stage.platform.database.settings);
      const [{ slug }] = (await stage.sql<{ slug: string }>('select slug from directory.tenants where id = $1', [
        tenant.id,
      ])) as [{ slug: string }];
      const listed = await operator.json<{ data: object[] }>('events', 'set-aside', '--tenant', slug);
      expect(listed.data).toEqual([
        {
          tenant: slug,
          eventId: expect.any(String),
          type: 'sales.deal.won',
          sequence,
          attempts: 10,
          nextAttemptAt: null,
          setAsideAt: expect.any(String),
          error: expect.stringContaining('no way'),
        },
      ]);
      expect((await operator.json<{ data: object[] }>('events', 'set-aside')).data).toHaveLength(2);
      expect((await operator.run('events', 'set-aside')).stdout).toMatch(/sales\.deal\.won .* 10 +given up .*no way/);
      await mend();
      expect(await operator.json('events', 'retry', '--tenant', slug)).toEqual({ retried: 1 });
      await worker.get(SetAsideEvents).pass();
      expect(await stage.deliveries(endpoint)).toHaveLength(1);
      expect(await setAside(other.tenant)).toMatchObject([{ pause: null }]);
      const [entry] = await stage.sql<{ entry: string }>(
        `select ${AUDITED} as entry from data.audit_log where tenant_id = $1 and action = 'outbox.events_retried'`,
        [tenant.id],
      );
      expect(JSON.parse(entry!.entry)).toMatchObject({
        actor: { type: 'system', name: 'operator CLI' },
        outcome: 'success',
        changes: { eventsRetried: { from: null, to: 1 } },
      });
      expect(await operator.json('events', 'retry')).toEqual({ retried: 1 });
      expect((await operator.run('events', 'retry', '--tenant', 'nobody')).exitCode).not.toBe(0);
    });
  });
});
