import { uuidv7 } from '#libs/kernel/id.js';
import { ATTEMPTS } from '#libs/webhooks/sending/first-attempt.js';
import type { TestTenant } from '../../harness/platform.js';
import { BACKENDS, Stage, type TestEndpoint } from '../../worker/stage.js';

describe.each(BACKENDS)('with the queues on %s', (backend) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open({}, backend);
    await stage.worker();
  });
  afterAll(() => stage.close());

  interface Entry {
    id: string;
    status: string;
    generation: number;
    attempts: number;
    skipReason: string | null;
    destination: { id: string };
  }

  const OUTBOX = '/api/admin/outbox';
  const STATUSES = ['pending', 'retrying', 'delivered', 'exhausted', 'held', 'skipped'];
  const DUE_LATER = `insert into data.webhook_queue (tenant_id, delivery_id, endpoint_id, subject_id, sequence, retry, due_at)
  select tenant_id, id, endpoint_id, subject_id, sequence, true, now() + interval '1 hour'
  from data.webhook_deliveries where id = $1`;

  const replay = (tenant: TestTenant, id: string, body: object = {}) =>
    tenant.api.post<Entry>(`${OUTBOX}/${id}/replay`, body);
  const skip = (tenant: TestTenant, id: string, reason = 'Superseded') =>
    tenant.api.post<Entry>(`${OUTBOX}/${id}/skip`, { reason });
  const command = (tenant: TestTenant, body: object) =>
    tenant.api.post<{ matched: number; affected: number }>(OUTBOX, body);
  const audited = async (tenant: TestTenant, action: string) =>
    (
      await tenant.api.get<{ data: { reason: string; target: { id: string } }[] }>(
        `/api/admin/audit-logs?action=${action}`,
      )
    ).body.data;

  /** Sets deliveries to these statuses directly; open ones are due in an hour. */
  async function setStatus(id: string, status: string): Promise<void> {
    await stage.sql('delete from data.webhook_queue where delivery_id = $1', [id]);
    await stage.sql(
      `update data.webhook_deliveries set status = $2, attempts = 2, attempt_count = 2,
       delivered_at = case $2 when 'delivered' then now() end, skip_reason = null where id = $1`,
      [id, status],
    );
    if (status === 'pending' || status === 'retrying') await stage.sql(DUE_LATER, [id]);
  }

  /** One delivery in each status, for an active endpoint unless it is held. */
  async function withDeliveries(statuses = STATUSES) {
    const tenant = await stage.platform.tenant();
    const receiver = await stage.receiver();
    const endpoint = await stage.endpoint(tenant, receiver.url);
    await tenant.api.post(`${endpoint.path}/pause`);
    for (const _ of statuses) await stage.deal(tenant);
    const rows = await stage.statuses(
      endpoint,
      statuses.map(() => 'held'),
    );
    const ids: Record<string, string> = {};
    for (const [index, status] of statuses.entries()) {
      await setStatus(rows[index]!.id, status);
      ids[status] ??= rows[index]!.id;
    }
    if (!statuses.includes('held'))
      await stage.sql(`update data.webhook_endpoints set status = 'enabled' where id = $1`, [endpoint.id]);
    return { tenant, receiver, endpoint, ids };
  }

  const rowOf = async (endpoint: TestEndpoint, id: string) =>
    (await stage.deliveries(endpoint)).find((row) => row.id === id)!;

  describe('replaying an entry', () => {
    it.each(['delivered', 'retrying', 'exhausted', 'skipped'])('restarts it with all attempts: %s', async (status) => {
      const { tenant, receiver, endpoint, ids } = await withDeliveries([status]);
      const id = ids[status]!;
      const answer = await replay(tenant, id, { reason: 'Lost by the receiver' });
      expect(answer).toMatchObject({ status: 200, body: { id, generation: 2, attempts: 0, deliveredAt: null } });
      await stage.statuses(endpoint, ['delivered']);
      expect(receiver.received).toHaveLength(1);
      expect(receiver.received[0]!.headers).toMatchObject({ 'x-service-replay': 'true', 'x-service-attempt': '3' });
      expect(await audited(tenant, 'outbox.replayed')).toMatchObject([
        { reason: 'Lost by the receiver', target: { id } },
      ]);
    });

    it('holds it while its destination is paused or disabled', async () => {
      const { tenant, endpoint, ids } = await withDeliveries(['exhausted']);
      await tenant.api.post(`${endpoint.path}/disable`);
      expect(await replay(tenant, ids['exhausted']!)).toMatchObject({
        status: 200,
        body: { status: 'held', generation: 2 },
      });
    });

    it('sends the event to another destination, subscribed or not', async () => {
      const { tenant, endpoint, ids } = await withDeliveries(['delivered']);
      const receiver = await stage.receiver();
      const other = await stage.endpoint(tenant, receiver.url);
      for (const generation of [1, 2]) {
        const answer = await replay(tenant, ids['delivered']!, { destinationId: other.id });
        expect(answer).toMatchObject({ status: 200, body: { destination: { id: other.id }, generation } });
        await stage.statuses(other, ['delivered']);
      }
      expect(receiver.received).toHaveLength(2);
      const own = await replay(tenant, ids['delivered']!, { destinationId: endpoint.id });
      expect(own.body).toMatchObject({ id: ids['delivered'], generation: 2 });
      const unknown = await replay(tenant, ids['delivered']!, { destinationId: uuidv7() });
      expect(unknown).toMatchObject({
        status: 400,
        body: { errors: [{ pointer: '/destinationId', code: 'unknown_reference' }] },
      });
    });

    it('is refused when its destination is deleted', async () => {
      const { tenant, endpoint, ids } = await withDeliveries(['delivered']);
      await tenant.api.delete(endpoint.path);
      expect(await replay(tenant, ids['delivered']!)).toMatchObject({
        status: 409,
        body: { code: 'endpoint_deleted' },
      });
    });
  });

  describe('skipping an entry', () => {
    it.each(['pending', 'retrying', 'exhausted', 'held'])('abandons it with the reason: %s', async (status) => {
      const { tenant, receiver, endpoint, ids } = await withDeliveries([status]);
      const id = ids[status]!;
      const answer = await skip(tenant, id);
      expect(answer).toMatchObject({
        status: 200,
        body: { status: 'skipped', skipReason: 'Superseded', nextAttemptAt: null },
      });
      expect(await stage.sql('select 1 from data.webhook_queue where delivery_id = $1', [id])).toEqual([]);
      expect(await audited(tenant, 'outbox.skipped')).toMatchObject([{ reason: 'Superseded', target: { id } }]);
      expect(await rowOf(endpoint, id)).toMatchObject({ status: 'skipped' });
      expect(receiver.received).toHaveLength(0);
    });
  });

  describe('an action that the state does not allow', () => {
    it.each([
      ['replay', 'pending', ['skip']],
      ['replay', 'held', ['skip']],
      ['replay', 'in_flight', []],
      ['skip', 'delivered', ['replay']],
      ['skip', 'skipped', ['replay']],
      ['skip', 'in_flight', []],
    ])('is 409 and changes nothing: %s of %s', async (action, state, allowedActions) => {
      const { tenant, endpoint, ids } = await withDeliveries([state === 'in_flight' ? 'retrying' : state]);
      const [id] = Object.values(ids);
      if (state === 'in_flight')
        await stage.sql(
          `update data.webhook_queue set lease_token = $2, leased_until = now() + interval '1 minute' where delivery_id = $1`,
          [id, stage.leaseToken()],
        );
      const before = await rowOf(endpoint, id!);
      const answer = action === 'replay' ? await replay(tenant, id!) : await skip(tenant, id!);
      expect(answer).toMatchObject({
        status: 409,
        body: { code: 'outbox_state_conflict', state, action, allowedActions },
      });
      expect(await rowOf(endpoint, id!)).toEqual(before);
      for (const each of ['outbox.replayed', 'outbox.skipped']) expect(await audited(tenant, each)).toEqual([]);
    });

    it('has one effect with many concurrent requests', async () => {
      const { tenant, endpoint, ids } = await withDeliveries(['exhausted']);
      await tenant.api.post(`${endpoint.path}/pause`);
      const answers = await Promise.all(Array.from({ length: 10 }, () => replay(tenant, ids['exhausted']!)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 409)).toHaveLength(9);
      const skips = await Promise.all(Array.from({ length: 10 }, () => skip(tenant, ids['exhausted']!)));
      expect(skips.filter(({ status }) => status === 200)).toHaveLength(1);
    });
  });

  describe('changing many entries', () => {
    it('replays, skips or dispatches the selected entries whose state allows it', async () => {
      const { tenant, endpoint, ids } = await withDeliveries();
      await tenant.api.post(`${endpoint.path}/pause`);
      for (const [status, id] of Object.entries(ids)) await setStatus(id, status);
      const deals = { eventType: 'sales.deal.created' };
      for (const [body, matched] of [
        [{ action: 'replay', filter: deals }, 4],
        [{ action: 'skip', filter: deals, reason: 'Old' }, 4],
        [{ action: 'dispatch_now', filter: deals }, 2],
        [{ action: 'replay', filter: { status: ['exhausted', 'pending'] } }, 1],
        [{ action: 'skip', ids: [ids['held'], ids['skipped']], reason: 'Old' }, 1],
        [{ action: 'dispatch_now', endpointId: endpoint.id, filter: { status: ['retrying'] } }, 1],
        [{ action: 'replay', from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z' }, 0],
        [{ action: 'replay', filter: { olderThanSeconds: 3_600 } }, 0],
      ] as const) {
        const before = await stage.deliveries(endpoint);
        const dry = await command(tenant, { ...body, dryRun: true });
        expect({ body, ...dry.body }).toMatchObject({ body, matched, affected: matched });
        expect(await stage.deliveries(endpoint)).toEqual(before);
        const done = await command(tenant, body);
        expect({ body, status: done.status, ...done.body }).toMatchObject({
          body,
          status: 200,
          matched,
          affected: matched,
        });
        for (const [status, id] of Object.entries(ids)) await setStatus(id, status);
      }
      expect(await audited(tenant, 'outbox.bulk_skipped')).toHaveLength(2);
      expect(await audited(tenant, 'outbox.bulk_replayed')).toHaveLength(4);
      expect(await audited(tenant, 'outbox.dispatched')).toHaveLength(2);
    });

    it('handles the oldest events first up to the limit, the rest with the next request', async () => {
      const statuses = Array<string>(5).fill('exhausted');
      const { tenant, receiver, endpoint } = await withDeliveries(statuses);
      await stage.sql(
        `update data.webhook_deliveries set created_at = now() - sequence * interval '1 second' where endpoint_id = $1`,
        [endpoint.id],
      );
      const body = { action: 'replay', filter: { status: ['exhausted'] }, limit: 3 };
      expect((await command(tenant, body)).body).toMatchObject({ matched: 5, affected: 3 });
      const done = Array<string>(3).fill('delivered');
      await stage.statuses(endpoint, [...done, 'exhausted', 'exhausted']);
      expect((await command(tenant, body)).body).toMatchObject({ matched: 2, affected: 2 });
      await stage.statuses(endpoint, [...done, 'delivered', 'delivered']);
      expect(receiver.received).toHaveLength(5);
    });

    it('dispatches a waiting entry immediately', async () => {
      const { tenant, receiver, endpoint, ids } = await withDeliveries(['retrying']);
      expect((await command(tenant, { action: 'dispatch_now', ids: [ids['retrying']] })).body).toMatchObject({
        affected: 1,
      });
      await stage.statuses(endpoint, ['delivered']);
      expect(receiver.received[0]!.headers).not.toHaveProperty('x-service-replay');
    });

    it('does not change entries in flight', async () => {
      const { tenant, endpoint, ids } = await withDeliveries(['retrying']);
      await stage.sql(
        `update data.webhook_queue set lease_token = $2, leased_until = now() + interval '1 minute' where delivery_id = $1`,
        [ids['retrying'], stage.leaseToken()],
      );
      for (const body of [
        { action: 'replay', ids: [ids['retrying']] },
        { action: 'skip', ids: [ids['retrying']], reason: 'Old' },
        { action: 'dispatch_now', ids: [ids['retrying']] },
      ])
        expect((await command(tenant, body)).body).toMatchObject({ matched: 0, affected: 0 });
      expect(await stage.deliveries(endpoint)).toMatchObject([{ status: 'in_flight' }]);
    });

    it('requires a selection, and a reason for skipping', async () => {
      const { tenant, endpoint } = await withDeliveries(['held']);
      const refused = async (body: object, errors: object[]) =>
        expect(await tenant.api.post(OUTBOX, body)).toMatchObject({ status: 400, body: { errors } });
      await refused({ action: 'replay' }, [{ pointer: '/filter', code: 'required' }]);
      await refused({ action: 'skip', filter: {} }, [
        { pointer: '/filter', code: 'required' },
        { pointer: '/reason', code: 'required' },
      ]);
      await refused({ action: 'replay', endpointId: endpoint.id, eventType: 'sales.deal.won' }, [
        { pointer: '/eventType', code: 'not_with_action' },
      ]);
      await refused({ action: 'replay', ids: [uuidv7()], filter: { destinationId: uuidv7(), subjectId: 'nothing' } }, [
        { pointer: '/filter/destinationId', code: 'unknown_reference' },
        { pointer: '/filter/subjectId', code: 'unknown_reference' },
        { pointer: '/ids/0', code: 'unknown_reference' },
      ]);
      await refused({ action: 'replay', filter: { status: ['held'] }, limit: 10_001 }, [
        { pointer: '/limit', code: 'out_of_range' },
      ]);
    });
  });

  describe('a running worker', () => {
    it('and an administrator never both decide on an entry', async () => {
      const tenant = await stage.platform.tenant();
      const receiver = await stage.receiver();
      receiver.answer = () => ({ status: Math.random() < 0.5 ? 200 : 500 });
      const endpoint = await stage.endpoint(tenant, receiver.url);
      for (let each = 0; each < 12; each++) await stage.deal(tenant);
      const replays = new Map<string, number>();
      for (let round = 0; round < 12; round++) {
        await stage.sql(`update data.webhook_queue set due_at = now() where endpoint_id = $1 and lease_token is null`, [
          endpoint.id,
        ]);
        const rows = await stage.deliveries(endpoint);
        await Promise.all(
          rows.map(async ({ id }, index) => {
            const action = (index + round) % 3;
            const answer = action === 0 ? await skip(tenant, id) : action === 1 ? await replay(tenant, id) : null;
            if (!answer) return;
            expect([200, 409]).toContain(answer.status);
            if (action === 1 && answer.status === 200) replays.set(id, (replays.get(id) ?? 0) + 1);
            if (action === 0 && answer.status === 200) expect(answer.body.status).toBe('skipped');
          }),
        );
      }
      await stage.stopWorkers();
      const rows = await stage.sql<{
        id: string;
        status: string;
        generation: number;
        counted: boolean;
        queued: boolean;
      }>(
        `select d.id, d.status, d.generation,
         d.attempt_count = (select count(*) from ${ATTEMPTS} a where a.delivery_id = d.id) as counted,
         exists (select 1 from data.webhook_queue q where q.delivery_id = d.id) as queued
       from data.webhook_deliveries d where d.endpoint_id = $1`,
        [endpoint.id],
      );
      expect(rows).toHaveLength(12);
      for (const { id, status, generation, counted, queued } of rows) {
        expect({ id, queued }).toEqual({ id, queued: ['pending', 'retrying'].includes(status) });
        expect({ id, generation, counted }).toEqual({ id, generation: 1 + (replays.get(id) ?? 0), counted: true });
      }
      const sent = await stage.sql<{ count: string }>(`select count(*) from ${ATTEMPTS} a where endpoint_id = $1`, [
        endpoint.id,
      ]);
      expect(receiver.received).toHaveLength(Number(sent[0]!.count));
      await stage.worker();
    });
  });
});
