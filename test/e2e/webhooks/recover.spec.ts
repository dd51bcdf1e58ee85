import type { INestApplicationContext } from '@nestjs/common';
import pg from 'pg';
import { JobQueue } from '#libs/jobs/job-queue.js';
import { JobRunner } from '#libs/jobs/job-runner.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { EventRelay } from '#libs/webhooks/relay/event.relay.js';
import { RECOVERY_BATCH } from '#libs/webhooks/recovery/recovery-batch.js';
import { until } from '#libs/testing/until.js';
import type { TestTenant } from '../../harness/platform.js';
import { BACKENDS, Stage, type TestEndpoint } from '../../worker/stage.js';

interface Recovery {
  id: string;
  status: string;
  dryRun: boolean;
  counted: number;
  byStatus: Record<string, number>;
  matched: number;
  examined: number;
  recovered: number;
  finishedAt: string | null;
  jobId: string | null;
}

interface Row {
  sequence: number;
  status: string;
  generation: number;
  attempts: number;
  cause: string | null;
}

const hourAgo = () => new Date(Date.now() - 3_600_000).toISOString();
const STATUSES = ['exhausted', 'held', 'skipped', 'delivered', 'retrying', 'pending'];

describe.each(BACKENDS)('with the queues on %s', (backend) => {
  let stage: Stage;
  let worker: INestApplicationContext;
  beforeAll(async () => {
    stage = await Stage.open({}, backend);
    worker = await stage.idleWorker();
  });
  afterAll(() => stage.close());

  const fanOut = (tenant: TestTenant) => worker.get(EventRelay).dispatch(tenant.id);

  async function stageOne(more: Record<string, unknown> = {}) {
    const tenant = await stage.platform.tenant();
    const endpoint = await stage.endpoint(tenant, 'http://127.0.0.1:9/hook', more);
    return { tenant, endpoint };
  }

  const recover = (tenant: TestTenant, endpoint: TestEndpoint, body: object = {}) =>
    tenant.api.post<Recovery>(`${endpoint.path}/recover`, { since: hourAgo(), ...body });
  const read = async (tenant: TestTenant, id: string) =>
    (await tenant.api.get<Recovery>(`/api/webhooks/recoveries/${id}`)).body;

  async function started(tenant: TestTenant, endpoint: TestEndpoint, body: object = {}): Promise<Recovery> {
    await carryOn(tenant); // so that the recovery is the next run
    const answer = await recover(tenant, endpoint, body);
    expect(answer.status).toBe(202);
    return answer.body;
  }

  /** Lets a worker take the next step for a tenant. Returns whether there was one. */
  async function step(tenant: TestTenant, by = worker): Promise<boolean> {
    await stage.sql('delete from data.job_queue where tenant_id <> $1', [tenant.id]);
    const soon = new Date(Date.now() + 60_000); // also jobs that wait after a failure
    const [lease] = await by.get(JobQueue).claim(soon, ['webhook.recovery'], 1);
    if (lease) await by.get(JobRunner).step(lease, new AbortController().signal, () => false);
    return lease !== undefined;
  }

  /** Lets a worker finish all recoveries of a tenant. */
  async function carryOn(tenant: TestTenant): Promise<void> {
    while (await step(tenant));
  }

  const rows = (endpoint: TestEndpoint): Promise<Row[]> =>
    stage.sql<Row>(
      `select d.sequence::integer as sequence, d.status, d.generation, d.attempts, q.cause
     from data.webhook_deliveries d left join data.webhook_queue q on q.tenant_id = d.tenant_id and q.delivery_id = d.id
     where d.endpoint_id = $1 order by d.sequence`,
      [endpoint.id],
    );

  /** Sets the statuses of the deliveries to an endpoint, oldest event first. */
  async function setStatuses(endpoint: TestEndpoint, statuses: string[]): Promise<void> {
    const deliveries = await stage.deliveries(endpoint);
    expect(deliveries).toHaveLength(statuses.length);
    for (const [index, { id }] of deliveries.entries()) {
      const status = statuses[index]!;
      await stage.sql(
        `update data.webhook_deliveries set status = $2, attempts = 3, attempt_count = 3,
         delivered_at = case $2 when 'delivered' then now() end where id = $1`,
        [id, status],
      );
      if (status !== 'retrying' && status !== 'pending')
        await stage.sql('delete from data.webhook_queue where delivery_id = $1', [id]);
    }
  }

  async function withDeliveries(statuses = STATUSES) {
    const staged = await stageOne();
    for (const _ of statuses) await stage.deal(staged.tenant);
    await fanOut(staged.tenant);
    await setStatuses(staged.endpoint, statuses);
    return staged;
  }

  describe('recovering', () => {
    it('sends undelivered events without a pending retry, with all attempts, oldest first', async () => {
      const { tenant, endpoint } = await withDeliveries();
      const job = await started(tenant, endpoint);
      expect(job).toMatchObject({
        object: 'webhook.recovery',
        status: 'running',
        matched: 3,
        examined: 0,
        recovered: 0,
      });
      await carryOn(tenant);
      const done = await read(tenant, job.id);
      expect(done).toMatchObject({ status: 'completed', matched: 3, recovered: 3 });
      const { body: carrier } = await tenant.api.get(`/api/operations/jobs/${job.jobId}`);
      const result = { recoveryId: job.id, recovered: 3 };
      expect(carrier).toMatchObject({ kind: 'webhook.recovery', status: 'succeeded', result });
      expect(done.finishedAt).not.toBeNull();
      const again = { status: 'pending', generation: 2, attempts: 0, cause: 'recover' };
      expect(await rows(endpoint)).toMatchObject([
        again,
        again,
        again,
        { status: 'delivered', generation: 1, attempts: 3, cause: null },
        { status: 'retrying', generation: 1, cause: 'schedule' },
        { status: 'pending', generation: 1, cause: 'schedule' },
      ]);
      const queue = await stage.sql<{ sequence: string; due: string; retry: boolean }>(
        `select sequence, due_at::text as due, retry from data.webhook_queue
       where endpoint_id = $1 and cause = 'recover' order by due_at, sequence desc`,
        [endpoint.id],
      );
      const inOrder = queue.map(({ sequence }) => Number(sequence));
      expect(inOrder).toEqual([...inOrder].sort((a, b) => a - b));
      // Each at a separate time, after first attempts.
      expect(new Set(queue.map(({ due }) => due)).size).toBe(3);
      expect(queue.every(({ retry }) => retry)).toBe(true);
    });

    it('arrives as a replay, with the same event id', async () => {
      const tenant = await stage.platform.tenant();
      const receiver = await stage.receiver();
      const endpoint = await stage.endpoint(tenant, receiver.url);
      await stage.deal(tenant);
      const sender = await stage.worker();
      await stage.statuses(endpoint, ['delivered']);
      await started(tenant, endpoint, { statuses: ['delivered'] });
      await until(() => receiver.received.length === 2);
      await sender.close();
      const [first, second] = receiver.received;
      expect(first!.headers).not.toHaveProperty('x-service-replay');
      expect(second!.headers).toMatchObject({
        'x-service-replay': 'true',
        'webhook-id': first!.headers['webhook-id'],
        'x-service-attempt': '2',
      });
      expect(second!.body).toBe(first!.body);
    });

    it('filters by statuses, types and times', async () => {
      const { tenant, endpoint } = await withDeliveries();
      for (const [body, matched] of [
        [{ statuses: ['exhausted'] }, 1],
        [{ statuses: ['delivered', 'retrying'] }, 2],
        [{ statuses: ['skipped', 'held'], eventTypes: ['sales.deal.created'] }, 2],
        [{ eventTypes: ['sales.deal.won', 'sales.lead.*'] }, 0],
        [{ until: new Date(Date.now() - 1_800_000).toISOString() }, 0],
      ] as const) {
        const counted = await recover(tenant, endpoint, { ...body, dryRun: true });
        expect({ body, status: counted.status, matched: counted.body.matched }).toEqual({ body, status: 202, matched });
        const job = await started(tenant, endpoint, body);
        expect(job.matched).toBe(matched);
        await carryOn(tenant);
        expect(await read(tenant, job.id)).toMatchObject({ status: 'completed', recovered: matched });
        await setStatuses(endpoint, STATUSES);
      }
    });

    it('counts by status with dryRun, and changes nothing', async () => {
      const { tenant, endpoint } = await withDeliveries();
      const before = await rows(endpoint);
      const job = await started(tenant, endpoint, { dryRun: true });
      const byStatus = { exhausted: 1, held: 1, skipped: 1, delivered: 1, retrying: 1, never_attempted: 0 };
      const counted = { status: 'completed', dryRun: true, matched: 3, byStatus, examined: 0, recovered: 0 };
      expect(job).toMatchObject(counted);
      expect(job.finishedAt).not.toBeNull();
      await carryOn(tenant);
      expect(await rows(endpoint)).toEqual(before);
      expect(await read(tenant, job.id)).toMatchObject(counted);
    });

    it('also sends events that the endpoint never received: it did not exist or did not match', async () => {
      const tenant = await stage.platform.tenant();
      const id = await stage.deal(tenant, 'Before');
      await tenant.api.post(`/api/v1/sales/deals/${id}/win`);
      await fanOut(tenant);
      const endpoint = await stage.endpoint(tenant, 'http://127.0.0.1:9/hook', { eventTypes: ['sales.deal.won'] });
      const job = await started(tenant, endpoint);
      expect(job.matched).toBe(1);
      await carryOn(tenant);
      expect(await rows(endpoint)).toMatchObject([{ status: 'pending', generation: 1, cause: 'recover' }]);
      await tenant.api.patch(endpoint.path, { eventTypes: ['sales.deal.*'] });
      expect(await started(tenant, endpoint, { statuses: ['never_attempted'] })).toMatchObject({ matched: 1 });
      await carryOn(tenant);
      const types = (await stage.deliveries(endpoint)).map(({ event_type }) => event_type);
      expect(types).toEqual(['sales.deal.created', 'sales.deal.won']);
    });

    it('sends events it never received only if they pass its filter', async () => {
      const tenant = await stage.platform.tenant();
      for (const name of ['Apple', 'Pear', 'Apple']) await stage.deal(tenant, name);
      await fanOut(tenant);
      const filter = { field: 'name', op: 'eq', value: 'Apple' };
      const endpoint = await stage.endpoint(tenant, 'http://127.0.0.1:9/hook', { filter });
      const job = await started(tenant, endpoint);
      await carryOn(tenant);
      expect(await read(tenant, job.id)).toMatchObject({ status: 'completed', recovered: 2 });
      expect(await rows(endpoint)).toHaveLength(2);
    });

    it('holds deliveries to an endpoint that accepts none', async () => {
      const { tenant, endpoint } = await withDeliveries(['exhausted', 'held']);
      await tenant.api.post(`${endpoint.path}/pause`);
      const job = await started(tenant, endpoint);
      expect(job.matched).toBe(1);
      await carryOn(tenant);
      expect(await rows(endpoint)).toMatchObject([
        { status: 'held', generation: 2, attempts: 0, cause: null },
        { status: 'held', generation: 1, cause: null },
      ]);
    });

    it('skips deliveries in flight', async () => {
      const { tenant, endpoint } = await withDeliveries(['retrying', 'retrying']);
      const [first] = await stage.deliveries(endpoint);
      await stage.sql(
        `update data.webhook_queue set lease_token = $2, leased_until = now() + interval '1 minute' where delivery_id = $1`,
        [first!.id, uuidv7()],
      );
      const job = await started(tenant, endpoint, { statuses: ['retrying'] });
      await carryOn(tenant);
      expect(await read(tenant, job.id)).toMatchObject({ recovered: 1 });
      expect(await rows(endpoint)).toMatchObject([
        { status: 'retrying', generation: 1 },
        { status: 'pending', generation: 2 },
      ]);
    });
  });

  describe('a recovery', () => {
    /** Inserts exhausted deliveries directly: more than one batch. */
    async function withMany(count: number) {
      const staged = await stageOne();
      await stage.deal(staged.tenant);
      await fanOut(staged.tenant);
      await setStatuses(staged.endpoint, ['exhausted']);
      await stage.sql(
        `with copy as (
         select e.*, f.sequence + n as sequence, overlay(e.id::text placing lpad(to_hex(n), 12, '0') from 25)::uuid as new_id
         from data.events e join data.event_numbers f on f.tenant_id = e.tenant_id and f.event_id = e.id,
           generate_series(1, $2) n
         where e.tenant_id = $1 and e.type = 'sales.deal.created'),
       made as (
         insert into data.events (tenant_id, id, type, schema_version, occurred_at, subject_type, subject_id, envelope)
         select tenant_id, new_id, type, 1, occurred_at, subject_type, subject_id, envelope from copy)
       insert into data.event_numbers (tenant_id, sequence, event_id, numbered_at)
       select tenant_id, sequence, new_id, now() from copy`,
        [staged.tenant.id, count],
      );
      return staged;
    }

    it('continues in another process, each delivery once', async () => {
      const { tenant, endpoint } = await withMany(2 * RECOVERY_BATCH + 10);
      const job = await started(tenant, endpoint);
      expect(job.matched).toBe(2 * RECOVERY_BATCH + 11);
      const others = [await stage.idleWorker(), await stage.idleWorker()];
      await step(tenant);
      expect(await read(tenant, job.id)).toMatchObject({ status: 'running', examined: RECOVERY_BATCH });
      // One dies in the middle of a batch: the batch is rolled back.
      await stage.sql(
        `create function public.break_it() returns trigger language plpgsql as $$ begin raise exception 'dead'; end $$`,
      );
      await stage.sql(`create trigger break_it before update on data.webhook_recoveries
      for each row execute function public.break_it()`);
      const before = await rows(endpoint);
      await step(tenant, others[0]);
      expect(await rows(endpoint)).toEqual(before);
      await stage.sql('drop function public.break_it() cascade');
      // Concurrent ones take turns.
      for (let turn = 0; turn < 4; turn++) await Promise.all([worker, ...others].map((each) => step(tenant, each)));
      await carryOn(tenant);
      expect(await read(tenant, job.id)).toMatchObject({ status: 'completed', recovered: job.matched });
      const after = await rows(endpoint);
      expect(after).toHaveLength(job.matched);
      expect(after.map(({ generation }) => generation)).toEqual([2, ...Array<number>(job.matched - 1).fill(1)]);
      const due = await stage.sql<{ sequence: string }>(
        `select sequence from data.webhook_queue where endpoint_id = $1 order by due_at`,
        [endpoint.id],
      );
      expect(due.map(({ sequence }) => Number(sequence))).toEqual(after.map(({ sequence }) => sequence));
    });

    it('continues counting after the request, and sends or ends when done', async () => {
      const AT_ONCE = 20_000;
      const { tenant, endpoint } = await withMany(AT_ONCE + 10);
      const job = await started(tenant, endpoint, { statuses: ['exhausted'] });
      expect(job).toMatchObject({ status: 'counting', counted: AT_ONCE, matched: 1, examined: 0, finishedAt: null });
      expect(await recover(tenant, endpoint, { dryRun: true })).toMatchObject({ status: 409 });
      await step(tenant);
      const { status, counted, byStatus } = await read(tenant, job.id);
      expect({ status, left: counted - AT_ONCE }).toEqual({ status: 'running', left: expect.any(Number) });
      expect(byStatus).toMatchObject({ exhausted: 1, never_attempted: AT_ONCE + 10 });
      await carryOn(tenant);
      expect(await read(tenant, job.id)).toMatchObject({ status: 'completed', examined: counted, recovered: 1 });

      const dry = await started(tenant, endpoint, { dryRun: true });
      expect(dry.status).toBe('counting');
      await carryOn(tenant);
      const found = { status: 'completed', counted, matched: AT_ONCE + 10, examined: 0, recovered: 0 };
      expect(await read(tenant, dry.id)).toMatchObject(found);

      const third = await started(tenant, endpoint);
      const cancelled = await tenant.api.post<Recovery>(`/api/webhooks/recoveries/${third.id}/cancel`);
      expect(cancelled.body).toMatchObject({ status: 'cancelled', counted: AT_ONCE, recovered: 0 });
    });

    it('revisits deliveries locked by others, and skips none', async () => {
      const { tenant, endpoint } = await withDeliveries(['exhausted', 'exhausted', 'exhausted']);
      const [, second] = await stage.deliveries(endpoint);
      const other = new pg.Client({ connectionString: stage.platform.database.systemUrl });
      await other.connect();
      await other.query('begin');
      await other.query('select 1 from data.webhook_deliveries where id = $1 for update', [second!.id]);
      const job = await started(tenant, endpoint);
      for (let turn = 0; turn < 3; turn++) await step(tenant);
      expect(await read(tenant, job.id)).toMatchObject({ status: 'running', recovered: 1 });
      expect((await rows(endpoint)).map(({ status }) => status)).toEqual(['pending', 'exhausted', 'exhausted']);
      await other.query('commit');
      await other.end();
      await carryOn(tenant);
      expect(await read(tenant, job.id)).toMatchObject({ status: 'completed', recovered: 3 });
      expect((await rows(endpoint)).map(({ generation }) => generation)).toEqual([2, 2, 2]);
    });

    it('can be cancelled once, and keeps its progress', async () => {
      const { tenant, endpoint } = await withMany(RECOVERY_BATCH + 10);
      const job = await started(tenant, endpoint);
      await step(tenant);
      const path = `/api/webhooks/recoveries/${job.id}`;
      const answer = await tenant.api.post<Recovery>(`${path}/cancel`);
      expect(answer).toMatchObject({ status: 200, body: { status: 'cancelled', examined: RECOVERY_BATCH } });
      expect(answer.body.recovered).toBeLessThan(job.matched);
      await carryOn(tenant);
      expect(await rows(endpoint)).toHaveLength(answer.body.recovered);
      expect(await tenant.api.get(`/api/operations/jobs/${job.jobId}`)).toMatchObject({
        body: { status: 'cancelled', progress: { done: RECOVERY_BATCH } },
      });
      expect(await tenant.api.post(`${path}/cancel`)).toMatchObject({
        status: 409,
        body: { code: 'invalid_transition', state: 'cancelled', action: 'cancel', allowedActions: [] },
      });
    });

    it('runs one at a time per endpoint', async () => {
      const { tenant, endpoint } = await withDeliveries(['exhausted']);
      const answers = await Promise.all(Array.from({ length: 5 }, () => recover(tenant, endpoint)));
      expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409, 409, 409]);
      expect(answers.find(({ status }) => status === 409)!.body).toMatchObject({ code: 'limit_reached' });
      await carryOn(tenant);
      await started(tenant, endpoint);
      const { body } = await tenant.api.get<{ data: Recovery[] }>(`${endpoint.path}/recoveries`);
      expect(body.data.map(({ status }) => status)).toEqual(['running', 'completed']);
    });

    it('is created once per idempotency key', async () => {
      const { tenant, endpoint } = await withDeliveries(['exhausted']);
      const key = { 'idempotency-key': 'recover-once' };
      const body = { since: hourAgo() };
      const first = await tenant.api.post<Recovery>(`${endpoint.path}/recover`, body, key);
      const second = await tenant.api.post<Recovery>(`${endpoint.path}/recover`, body, key);
      expect([first.status, second.status]).toEqual([202, 202]);
      expect(second.headers.get('idempotent-replayed')).toBe('true');
      expect(second.body).toEqual(first.body);
      const audit = await tenant.api.get<{ data: unknown[] }>('/api/admin/audit-logs?action=webhook.recovery.started');
      expect(audit.body.data).toHaveLength(1);
    });

    it('ends when its endpoint is deleted', async () => {
      const { tenant, endpoint } = await withDeliveries(['exhausted']);
      const job = await started(tenant, endpoint);
      await tenant.api.delete(endpoint.path);
      await carryOn(tenant);
      expect(await read(tenant, job.id)).toMatchObject({ status: 'cancelled', recovered: 0 });
    });

    it('starts within the retention period and before its end', async () => {
      const { tenant, endpoint } = await withDeliveries(['exhausted', 'exhausted']);
      const refused = async (body: object, pointer: string, code: string) =>
        expect(await recover(tenant, endpoint, body)).toMatchObject({
          status: 400,
          body: { errors: [{ pointer, code }] },
        });
      await refused({ since: new Date(Date.now() + 60_000).toISOString() }, '/since', 'out_of_range');
      const at = new Date(Date.now() - 1_000).toISOString();
      await refused({ since: at, until: at }, '/since', 'out_of_range');
      await refused({ eventTypes: ['sales.*', 'sales.nothing'] }, '/eventTypes/1', 'unknown_event_type');
      await refused({ statuses: ['pending'] }, '/statuses/0', 'invalid_value');
      // Nothing was ever dropped: any time is valid.
      const longAgo = '2020-01-01T00:00:00.000Z';
      expect(await recover(tenant, endpoint, { since: longAgo, dryRun: true })).toMatchObject({ status: 202 });
      await stage.sql(
        `with gone as (delete from data.event_numbers where tenant_id = $1 and sequence <= 2 returning event_id)
         delete from data.events where tenant_id = $1 and id in (select event_id from gone)`,
        [tenant.id],
      );
      await refused({ since: longAgo }, '/since', 'out_of_range');
      const [oldest] = await stage.sql<{ at: Date }>(
        `select min(occurred_at) as at from data.events
         where tenant_id = $1 and id in (select event_id from data.event_numbers)`,
        [tenant.id],
      );
      expect(await recover(tenant, endpoint, { since: oldest!.at.toISOString(), dryRun: true })).toMatchObject({
        status: 202,
      });
    });

    it('is unknown to another tenant', async () => {
      const { tenant, endpoint } = await withDeliveries(['exhausted']);
      const { id } = await started(tenant, endpoint);
      const stranger = await stage.platform.tenant();
      const path = `/api/webhooks/recoveries/${id}`;
      expect((await stranger.api.get(path)).status).toBe(404);
      expect((await stranger.api.post(`${path}/cancel`)).status).toBe(404);
      expect((await recover(stranger, endpoint)).status).toBe(404);
    });
  });
});
