import pg from 'pg';
import { DAY_MS } from '#libs/kernel/durations.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { EventRelay } from '#libs/webhooks/relay/event.relay.js';
import { Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterEach(() => stage.stopWorkers());
afterAll(() => stage.close());

const sequences = (tenantId: string) =>
  stage.sql<{ id: string; sequence: string | null }>(
    `select e.id, n.sequence from data.events e
       left join data.event_numbers n on n.tenant_id = e.tenant_id and n.event_id = e.id
     where e.tenant_id = $1 order by n.sequence`,
    [tenantId],
  );
const pending = (tenantId: string) => stage.sql('select * from data.events_pending where tenant_id = $1', [tenantId]);
/** SQL that adds an event. */
const INSERT = `
  with event as (
    insert into data.events (tenant_id, id, type, schema_version, occurred_at, subject_type, subject_id, envelope)
    values ($1, $2, 'sales.deal.created', 1, now(), 'sales.deal', 'x', '{}'))
  insert into data.events_pending (tenant_id, event_id) values ($1, $2)`;

/** An id for this time; `uuidv7` never returns an id below a previous one. */
const idAt = (ms: number) => uuidv7().replace(/^.{13}/, ms.toString(16).padStart(12, '0').replace(/^.{8}/, '$&-'));

describe('events of a tenant', () => {
  it('are numbered without gaps during concurrent commits with two relays', async () => {
    const tenant = await stage.platform.tenant();
    const relays = [(await stage.idleWorker()).get(EventRelay), (await stage.idleWorker()).get(EventRelay)];
    const deals = Promise.all(Array.from({ length: 60 }, () => stage.deal(tenant)));
    let done = false;
    void deals.finally(() => (done = true));
    while (!done) await Promise.all(relays.map((relay) => relay.dispatch(tenant.id)));
    await deals;
    await Promise.all(relays.map((relay) => relay.dispatch(tenant.id)));
    await relays[0]!.dispatch(tenant.id);
    const rows = await sequences(tenant.id);
    expect(rows.length).toBeGreaterThanOrEqual(60);
    expect(rows.map(({ sequence }) => Number(sequence))).toEqual(rows.map((_, index) => index + 1));
  });

  it('are all seen when they commit out of order', async () => {
    const tenant = await stage.platform.tenant();
    const relay = (await stage.idleWorker()).get(EventRelay);
    const [early, late] = [uuidv7(), uuidv7()];
    const clients = await Promise.all(
      [early, late].map(async (id) => {
        const client = new pg.Client({ connectionString: stage.platform.database.adminUrl });
        await client.connect();
        await client.query('begin');
        await client.query(INSERT, [tenant.id, id]);
        return client;
      }),
    );
    await clients[1]!.query('commit');
    expect(await relay.dispatch(tenant.id)).toBe(1);
    await clients[0]!.query('commit');
    expect(await relay.dispatch(tenant.id)).toBe(1);
    await Promise.all(clients.map((client) => client.end()));
    expect(await sequences(tenant.id)).toEqual([
      { id: late, sequence: '1' },
      { id: early, sequence: '2' },
    ]);
  });

  it('are found for any day, in insertion order', async () => {
    const tenant = await stage.platform.tenant();
    const relay = (await stage.idleWorker()).get(EventRelay);
    await relay.dispatch(tenant.id);
    const ids = [10, -100, 0, -10].map((days) => idAt(Date.now() + days * DAY_MS));
    for (const id of ids) await stage.sql(INSERT, [tenant.id, id]);
    await relay.pass();
    expect((await sequences(tenant.id)).map(({ id }) => id).slice(-ids.length)).toEqual(ids);
    expect(await pending(tenant.id)).toEqual([]);
  });

  it('result in one delivery per endpoint, however many relays run', async () => {
    const tenant = await stage.platform.tenant();
    const receiver = await stage.receiver();
    const endpoints = [await stage.endpoint(tenant, receiver.url), await stage.endpoint(tenant, receiver.url)];
    const workers = await Promise.all(Array.from({ length: 3 }, () => stage.idleWorker()));
    await Promise.all(Array.from({ length: 20 }, () => stage.deal(tenant)));
    await Promise.all(workers.map((worker) => worker.get(EventRelay).dispatch(tenant.id)));
    await workers[0]!.get(EventRelay).dispatch(tenant.id);
    for (const endpoint of endpoints) {
      const deliveries = await stage.deliveries(endpoint);
      expect(deliveries).toHaveLength(20);
      expect(new Set(deliveries.map((delivery) => delivery.event_id)).size).toBe(20);
    }
  });

  it('that were rolled back are neither numbered nor delivered', async () => {
    const tenant = await stage.platform.tenant();
    const receiver = await stage.receiver();
    const endpoint = await stage.endpoint(tenant, receiver.url);
    const refused = await tenant.api.post('/api/v1/sales/deals', { name: 'x', renewalOfDealId: uuidv7() });
    expect(refused.status).toBe(400);
    await (await stage.idleWorker()).get(EventRelay).pass();
    expect(await stage.deliveries(endpoint)).toEqual([]);
  });

  it('that cannot be fanned out are set aside, and block neither other events of the tenant nor other tenants', async () => {
    const [faulty, sound] = [await stage.platform.tenant(), await stage.platform.tenant()];
    const receiver = await stage.receiver();
    const endpoints = [await stage.endpoint(faulty, receiver.url), await stage.endpoint(sound, receiver.url)];
    const fault = await stage.deal(faulty);
    await stage.deal(faulty);
    await stage.deal(sound);
    await stage.sql(`
      create function public.fail() returns trigger language plpgsql as $$ begin raise exception 'no way'; end $$;
      create trigger fail before insert on data.webhook_deliveries for each row when (new.subject_id = '${fault}')
        execute function public.fail()`);
    const relay = (await stage.idleWorker()).get(EventRelay);
    for (let pass = 0; pass < 10; pass++) await relay.pass(); // after a failure one event at a time
    await stage.sql('drop trigger fail on data.webhook_deliveries; drop function public.fail()');
    for (const endpoint of endpoints) expect(await stage.deliveries(endpoint)).toHaveLength(1);
    const asides = await stage.sql<{ sequence: string; error: string }>(
      `select n.sequence, s.error from data.events e join data.event_numbers n on n.event_id = e.id
         left join data.events_set_aside s on s.event_id = e.id and s.sequence = n.sequence
       where e.subject_id = $1 or s.error is not null`,
      [fault],
    );
    expect(asides).toEqual([{ sequence: expect.any(String), error: expect.stringContaining('no way') }]);
    expect(await pending(faulty.id)).toEqual([]);
    const rows = await sequences(faulty.id);
    expect(rows.map(({ sequence }) => Number(sequence))).toEqual(rows.map((_, index) => index + 1));
  });

  it('are not blocked by a tenant whose relay is stuck', async () => {
    const [stuck, free] = [await stage.platform.tenant(), await stage.platform.tenant()];
    const relay = (await stage.idleWorker()).get(EventRelay);
    await stage.deal(stuck);
    await relay.pass();
    const client = new pg.Client({ connectionString: stage.platform.database.adminUrl });
    await client.connect();
    await client.query('begin');
    await client.query('select 1 from data.event_sequences where tenant_id = $1 for update', [stuck.id]);
    await Promise.all([stage.deal(stuck), stage.deal(free)]);
    await relay.pass();
    expect((await sequences(stuck.id)).some(({ sequence }) => sequence === null)).toBe(true);
    expect((await sequences(free.id)).every(({ sequence }) => sequence !== null)).toBe(true);
    await client.query('rollback');
    await client.end();
    await relay.pass();
    expect((await sequences(stuck.id)).every(({ sequence }) => sequence !== null)).toBe(true);
  });
});
