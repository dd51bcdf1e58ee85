import { toAttach } from '../../harness/files.js';
import { MAX_ATTEMPTS } from '#libs/automation/retry-pauses.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { Stage } from '../../worker/stage.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { command, night, RETENTION, rowsNaming, types, work } from './retention-stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterEach(() => stage.stopWorkers());
afterAll(() => stage.close());

const DEALS = '/api/v1/sales/deals';
const PRODUCTS = '/api/v1/sales/products';
const CONTACTS = '/api/v1/sales/contacts';
const ACCOUNTS = '/api/v1/sales/accounts';

const days = (count: number) => stage.platform.clock.advance(count * DAY_MS);
const product = async (tenant: Awaited<ReturnType<Stage['platform']['tenant']>>, more: object = {}) =>
  (await tenant.api.post(PRODUCTS, { name: 'Licence', ...more })).body as { id: string };

const countOfJobs = async ({ id }: { id: string }) =>
  (await stage.sql(`select from data.jobs where tenant_id = $1 and kind = 'core.retention'`, [id])).length;

describe('a retention policy', () => {
  it('deletes expired records with everything about them, and leaves a tombstone and an event', async () => {
    const tenant = await stage.platform.tenant();
    const { id } = await product(tenant, { tags: ['old'], externalRefs: [{ system: 'erp', id: '1' }] });
    await tenant.api.post(`${PRODUCTS}/${id}/comments`, { body: 'A remark' });
    await tenant.api.post(`${PRODUCTS}/${id}/watchers`, {});
    const { fileId } = await toAttach(tenant.api, 'terms of Jane.pdf');
    await tenant.api.post(`${PRODUCTS}/${id}/attachments`, { fileId });
    days(100);
    const fresh = await product(tenant);
    const policy = await command(tenant, { object: 'sales.product', retainDays: 30 });
    expect(policy).toMatchObject({ object: 'sales.product', disposition: 'delete', enabled: true, basis: 'updatedAt' });
    const preview = await command(tenant, { action: 'preview', id: policy['id'] });
    expect(preview).toEqual({ wouldAffect: 1, sampleIds: [id], heldBack: 0, inUse: 0 });
    const unconfirmed = { action: 'run_now', id: policy['id'], confirm: false };
    expect(await tenant.api.post(RETENTION, unconfirmed)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/confirm', code: 'invalid_value', detail: 'It must be true.' }] },
    });
    const run = await command(tenant, { action: 'run_now', id: policy['id'], confirm: true });
    const queued = await tenant.api.get(`/api/operations/jobs/${String(run['jobId'])}`);
    expect(queued.body).toMatchObject({ kind: 'core.retention', status: 'queued', progress: { done: 0, total: null } });
    await work(stage);
    const job = await tenant.api.get(`/api/operations/jobs/${String(run['jobId'])}`);
    expect(job.body).toMatchObject({
      status: 'succeeded',
      progress: { done: 1, total: 1 },
      result: { affected: 1 },
      error: null,
    });
    expect((await tenant.api.get(`${PRODUCTS}/${id}`)).status).toBe(404);
    expect((await tenant.api.get(`${PRODUCTS}/${fresh.id}`)).status).toBe(200);
    const { body } = await tenant.api.get(RETENTION);
    expect(body).toMatchObject({
      runs: [
        {
          policyId: policy['id'],
          mode: 'execute',
          examined: 1,
          affected: 1,
          heldBack: 0,
          perType: { 'sales.product': 1 },
        },
      ],
    });
    const rest = await rowsNaming(stage, tenant, id);
    expect(rest.filter((table) => !/events|idempotency|audit_log|tombstones|webhook/.test(table))).toEqual([]);
    const [event] = await stage.sql<{ envelope: string }>(
      `select envelope from data.events where tenant_id = $1 and type = 'core.record.purged'`,
      [tenant.id],
    );
    expect(JSON.parse(event!.envelope)).toMatchObject({
      data: { object: 'sales.product', id, policyId: policy['id'] },
    });
    const audit = await stage.sql<{ action: string; erased_at: Date | null }>(
      `select action, erased_at from data.audit_log where tenant_id = $1 and target_id = any($2::text[])`,
      [tenant.id, [id, fileId]],
    );
    expect(audit.map(({ action }) => action)).toContain('documents.file.created');
    expect(audit.every(({ erased_at: erasedAt }) => erasedAt !== null)).toBe(true);
    const actions = await stage.sql<{ action: string }>(
      `select action from data.audit_log where tenant_id = $1 and action like 'core.retention.%' order by occurred_at, id`,
      [tenant.id],
    );
    expect(actions.map(({ action }) => action)).toEqual([
      'core.retention.policy_created',
      'core.retention.run_started',
      'core.retention.run_finished',
    ]);
  });

  it('anonymises personal fields for good', async () => {
    const tenant = await stage.platform.tenant();
    const input = { firstName: 'Ada', lastName: 'Lovelace', emails: ['ada@acme.example'] };
    const { body } = await tenant.api.post(CONTACTS, { name: 'Ada Lovelace', ...input });
    const { id } = body as { id: string };
    days(100);
    const policy = await command(tenant, { object: 'sales.contact', retainDays: 30, disposition: 'anonymize' });
    await command(tenant, { action: 'run_now', id: policy['id'], confirm: true });
    await work(stage);
    const after = await tenant.api.get(`${CONTACTS}/${id}`);
    expect(after.body).toMatchObject({ name: 'Anonymised contact', firstName: null, lastName: null, emails: [] });
    const rest = await rowsNaming(stage, tenant, 'Lovelace');
    expect(rest.filter((table) => !table.includes('event'))).toEqual([]);
    expect(await command(tenant, { action: 'preview', id: policy['id'] })).toMatchObject({ wouldAffect: 0 });
  });

  it('deletes records in a state that forbids the trash', async () => {
    const tenant = await stage.platform.tenant();
    const { body } = await tenant.api.post<{ id: string }>(DEALS, { name: 'Acme renewal' });
    await tenant.api.post(`${DEALS}/${body.id}/win`);
    expect((await tenant.api.delete(`${DEALS}/${body.id}`)).status).toBe(409);
    days(100);
    const policy = await command(tenant, { object: 'sales.deal', retainDays: 30 });
    const { jobId } = await command(tenant, { action: 'run_now', id: policy['id'], confirm: true });
    await work(stage);
    expect((await tenant.api.get(`/api/operations/jobs/${String(jobId)}`)).body).toMatchObject({ status: 'succeeded' });
    expect((await tenant.api.get(`${DEALS}/${body.id}`)).status).toBe(404);
  });

  it('archives records', async () => {
    const tenant = await stage.platform.tenant();
    const { id } = await product(tenant);
    days(100);
    const policy = await command(tenant, { object: 'sales.product', retainDays: 30, disposition: 'archive' });
    await command(tenant, { action: 'run_now', id: policy['id'], confirm: true });
    await work(stage);
    expect((await tenant.api.get(`${PRODUCTS}/${id}`)).body).toMatchObject({
      archivedAt: expect.any(String) as string,
    });
  });

  it('keeps records that others refer to until these are gone', async () => {
    const tenant = await stage.platform.tenant();
    const account = (await tenant.api.post(ACCOUNTS, { name: 'Globex' })).body as { id: string };
    const contact = (await tenant.api.post(CONTACTS, { name: 'Ada', accountId: account.id })).body as { id: string };
    days(100);
    const policy = await command(tenant, { object: 'sales.account', retainDays: 30 });
    expect(await command(tenant, { action: 'preview', id: policy['id'] })).toMatchObject({ wouldAffect: 0, inUse: 1 });
    await command(tenant, { object: 'sales.contact', retainDays: 30 });
    await night(stage);
    await night(stage);
    expect((await tenant.api.get(`${CONTACTS}/${contact.id}`)).status).toBe(404);
    expect((await tenant.api.get(`${ACCOUNTS}/${account.id}`)).status).toBe(404);
  });

  it('only affects records that pass its filter', async () => {
    const tenant = await stage.platform.tenant();
    const kept = await product(tenant);
    const gone = await product(tenant, { tags: ['old'] });
    days(100);
    await command(tenant, { object: 'sales.product', retainDays: 30, filter: { tag: 'old' } });
    await night(stage);
    expect((await tenant.api.get(`${PRODUCTS}/${kept.id}`)).status).toBe(200);
    expect((await tenant.api.get(`${PRODUCTS}/${gone.id}`)).status).toBe(404);
  });

  it.each([
    [{ object: 'sales.unknown', retainDays: 30 }, 400, 'unknown_record_type'],
    [{ object: 'sales.product' }, 400, 'required'],
    [{ object: 'sales.product', retainDays: 30, disposition: 'anonymize' }, 400, 'not_applicable'],
    [{ object: 'sales.product', retainDays: 30, filter: { wrong: '1' } }, 400, 'unknown_parameter'],
    [{ object: 'finance.invoice', retainDays: 2_554 }, 409, 'below_minimum_retention'],
    [{ action: 'place_hold', name: 'x', scope: { objects: ['sales.deal'] } }, 400, 'required'],
    [{ action: 'place_hold', name: 'x', reason: 'y', scope: {} }, 400, 'required'],
    [{ action: 'run_now', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20' }, 400, 'required'],
  ])('is refused if it is not valid: %j', async (body, status, code) => {
    const { api } = await stage.platform.tenant();
    const answer = await api.post(RETENTION, body);
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(`"${code}"`);
  });

  it('can be lowered by owners only', async () => {
    const tenant = await stage.platform.tenant();
    const key = await stage.platform.key(tenant, ['retention:manage', 'retention:read']);
    await stage.sql(`update directory.credentials set allow_protected = true where tenant_id = $1`, [tenant.id]);
    expect((await tenant.api.post(RETENTION, { object: 'sales.product', retainDays: 60 })).status).toBe(200);
    expect((await key.post(RETENTION, { object: 'sales.product', retainDays: 90 })).status).toBe(200);
    expect((await key.post(RETENTION, { object: 'sales.product', retainDays: 30 })).status).toBe(403);
    expect((await tenant.api.post(RETENTION, { object: 'sales.product', retainDays: 30 })).status).toBe(200);
  });

  it.each(['delete', 'anonymize'])('that is the first to %s records of a type is for owners', async (disposition) => {
    const tenant = await stage.platform.tenant();
    const key = await stage.platform.key(tenant, ['retention:manage', 'retention:read']);
    await stage.sql(`update directory.credentials set allow_protected = true where tenant_id = $1`, [tenant.id]);
    const first = { object: 'sales.contact', retainDays: 300, disposition };
    const statusOf = async (body: object, api = key) => (await api.post(RETENTION, body)).status;
    expect(await statusOf({ ...first, enabled: false })).toBe(403);
    expect(await statusOf({ ...first, disposition: 'archive' })).toBe(200);
    expect(await key.post(RETENTION, first)).toMatchObject({
      status: 403,
      body: { code: 'permission_denied', requiredPermission: 'tenant:close' },
    });
    const some = { ...first, filter: { name: 'Ada' } };
    expect(await statusOf(some, tenant.api)).toBe(200);
    expect(await statusOf({ ...some, retainDays: 400 })).toBe(200);
    expect(await statusOf({ ...first, retainDays: 400, filter: { name: 'Bob' } })).toBe(403);
    expect(await statusOf(first, tenant.api)).toBe(200);
    expect(await statusOf({ ...first, retainDays: 400, filter: { name: 'Bob' } })).toBe(200);
    const other = disposition === 'delete' ? 'anonymize' : 'delete';
    const changed = { ...first, retainDays: 400, disposition: other, filter: { name: 'Bob' } };
    expect(await statusOf(changed)).toBe(other === 'anonymize' ? 200 : 403);
  });

  it('that does not run covers nothing', async () => {
    const tenant = await stage.platform.tenant();
    const key = await stage.platform.key(tenant, ['retention:manage', 'retention:read']);
    await stage.sql(`update directory.credentials set allow_protected = true where tenant_id = $1`, [tenant.id]);
    const policy = { object: 'sales.contact', retainDays: 300 };
    expect((await tenant.api.post(RETENTION, { ...policy, enabled: false })).status).toBe(200);
    expect((await key.post(RETENTION, { ...policy, legalBasis: 'Reviewed' })).status).toBe(200);
    expect((await key.post(RETENTION, { ...policy, filter: { name: 'Ada' } })).status).toBe(403);
    expect((await key.post(RETENTION, { ...policy, enabled: true })).status).toBe(403);
  });

  it('cannot be replaced by a shorter one, except by owners', async () => {
    const tenant = await stage.platform.tenant();
    const key = await stage.platform.key(tenant, ['retention:manage', 'retention:read']);
    await stage.sql(`update directory.credentials set allow_protected = true where tenant_id = $1`, [tenant.id]);
    const object = 'sales.product';
    const statusOf = async (body: object, api = key) => (await api.post(RETENTION, body)).status;
    const policy = await command(tenant, { object, retainDays: 90 });
    const remove = { action: 'delete_policy', id: policy['id'] };
    expect(await key.post(RETENTION, remove)).toMatchObject({
      status: 403,
      body: { code: 'permission_denied', requiredPermission: 'tenant:close' },
    });
    const shorter = { object, retainDays: 30, filter: { tag: 'old' } };
    expect(await statusOf(shorter)).toBe(403);
    expect(await statusOf({ ...shorter, retainDays: 90 })).toBe(200);
    expect(await statusOf({ ...shorter, filter: { tag: 'new' }, disposition: 'archive' })).toBe(200);
    expect(await statusOf({ ...shorter, filter: { tag: 'new' }, disposition: 'delete' })).toBe(403);
    const moved = { id: policy['id'], object, filter: { tag: 'none' } };
    expect(await statusOf(moved)).toBe(200);
    expect(await statusOf({ object, retainDays: 30, filter: {} })).toBe(403);
    expect(await statusOf({ ...moved, disposition: 'archive' })).toBe(200);
    expect(await statusOf({ object, retainDays: 30, filter: {} })).toBe(403);
    expect(await statusOf(shorter, tenant.api)).toBe(200);
    expect(await statusOf({ ...shorter, enabled: false })).toBe(200);
    expect(await statusOf({ ...shorter, enabled: true })).toBe(403);
    expect(await statusOf(remove, tenant.api)).toBe(200);
  });

  it('has one run at a time', async () => {
    const tenant = await stage.platform.tenant();
    const { id } = await product(tenant);
    days(100);
    const policy = await command(tenant, { object: 'sales.product', retainDays: 30 });
    const runNow = () => command(tenant, { action: 'run_now', id: policy['id'], confirm: true });
    const started = await Promise.all([runNow(), runNow(), runNow()]);
    expect(new Set(started.map(({ jobId }) => jobId)).size).toBe(1);
    expect(await countOfJobs(tenant)).toBe(1);
    await work(stage);
    expect((await tenant.api.get(`${PRODUCTS}/${id}`)).status).toBe(404);
    expect((await runNow())['jobId']).not.toBe(started[0]['jobId']);
    expect(await countOfJobs(tenant)).toBe(2);
  });

  it('closes a run that has failed', async () => {
    const tenant = await stage.platform.tenant();
    const { id } = await product(tenant);
    days(100);
    const policy = await command(tenant, { object: 'sales.product', retainDays: 30 });
    const { jobId } = await command(tenant, { action: 'run_now', id: policy['id'], confirm: true });
    await stage.sql(`update data.jobs set input = input || '{"filter": {"gone": "1"}}' where id = $1`, [jobId]);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      await work(stage);
      days(1);
    }
    const job = await tenant.api.get(`/api/operations/jobs/${String(jobId)}`);
    expect(job.body).toMatchObject({ status: 'failed', error: { code: 'validation_failed' } });
    expect((await tenant.api.get(RETENTION)).body).toMatchObject({
      runs: [{ jobId, finishedAt: expect.any(String) as string, examined: 0, affected: 0 }],
    });
    expect((await tenant.api.get(`${PRODUCTS}/${id}`)).status).toBe(200);
  });

  it('covers the same types in the worker', async () => {
    const worker = await stage.idleWorker();
    const known = worker.get(ResourceRegistry).all();
    expect(known.map(({ type }) => type).sort()).toEqual(types(stage));
  });
});

describe('the trash', () => {
  it('is made shorter by owners only', async () => {
    const tenant = await stage.platform.tenant();
    const key = await stage.platform.key(tenant, ['settings:manage']);
    await stage.sql(`update directory.credentials set allow_protected = true where tenant_id = $1`, [tenant.id]);
    const setTo = (data: object | null, api = key) => api.patch('/api/admin/settings', { data });
    expect(await setTo({ trashDays: 0 })).toMatchObject({
      status: 403,
      body: { code: 'permission_denied', requiredPermission: 'tenant:close' },
    });
    expect((await setTo({ trashDays: 60 })).status).toBe(200);
    expect((await setTo(null)).status).toBe(403);
    expect((await setTo({ trashDays: 59 }, tenant.api)).status).toBe(200);
  });

  it('is emptied after the days of the settings', async () => {
    const tenant = await stage.platform.tenant();
    const { id } = await product(tenant);
    await tenant.api.delete(`${PRODUCTS}/${id}`);
    days(25);
    await night(stage);
    expect((await tenant.api.get(`${PRODUCTS}?includeDeleted=true`)).body).toMatchObject({ data: [{ id }] });
    await tenant.api.patch('/api/admin/settings', { data: { trashDays: 7 } });
    await night(stage);
    expect((await tenant.api.get(`${PRODUCTS}?includeDeleted=true`)).body).toMatchObject({ data: [] });
  });
});

describe('a legal hold', () => {
  it('stops every deletion until it is released', async () => {
    const tenant = await stage.platform.tenant();
    const { id } = await product(tenant);
    const trashed = await product(tenant);
    await tenant.api.delete(`${PRODUCTS}/${trashed.id}`);
    const policy = await command(tenant, { object: 'sales.product', retainDays: 30 });
    const scope = { objects: ['sales.product'] };
    const hold = await command(tenant, { action: 'place_hold', name: 'Dispute', reason: 'Lawsuit', scope });
    const refused = await tenant.api.delete(`${PRODUCTS}/${id}`);
    expect(refused.status).toBe(423);
    expect(refused.body).toMatchObject({ code: 'legal_hold' });
    const close = await tenant.api.post('/api/settings/tenant/close', { reason: 'Merged' });
    expect([close.status, close.text]).toEqual([423, expect.stringContaining('legal_hold')]);
    days(100);
    expect(await command(tenant, { action: 'preview', id: policy['id'] })).toMatchObject({
      wouldAffect: 0,
      heldBack: 2,
    });
    await night(stage);
    const all = await tenant.api.get(`${PRODUCTS}?includeDeleted=true`);
    expect((all.body as { data: unknown[] }).data).toHaveLength(2);
    expect((await tenant.api.get(RETENTION)).body).toMatchObject({
      holds: [{ name: 'Dispute', status: 'active' }],
      runs: expect.arrayContaining([expect.objectContaining({ affected: 0, heldBack: 2 })]) as unknown,
    });
    await command(tenant, { action: 'release_hold', id: hold['id'], reason: 'Settled' });
    await night(stage);
    const none = await tenant.api.get(`${PRODUCTS}?includeDeleted=true`);
    expect((none.body as { data: unknown[] }).data).toHaveLength(0);
  });

  it('keeps the comments and attachments of a record', async () => {
    const tenant = await stage.platform.tenant();
    const { id } = await product(tenant);
    const file = await toAttach(tenant.api, 'terms.pdf');
    const add = async (collection: string, input: object) => {
      const path = `${PRODUCTS}/${id}/${collection}`;
      return `${path}/${((await tenant.api.post(path, input)).body as { id: string }).id}`;
    };
    const paths = [await add('comments', { body: 'A remark' }), await add('attachments', file)];
    const scope = { objectIds: [id] };
    const hold = await command(tenant, { action: 'place_hold', name: 'Dispute', reason: 'Lawsuit', scope });
    for (const path of paths) {
      const refused = await tenant.api.delete(path);
      expect([refused.status, refused.body]).toEqual([423, expect.objectContaining({ code: 'legal_hold' })]);
    }
    await command(tenant, { action: 'release_hold', id: hold['id'], reason: 'Settled' });
    for (const path of paths) expect((await tenant.api.delete(path)).status).toBe(200);
  });

  it('keeps the links of a record, also those from the other end', async () => {
    const tenant = await stage.platform.tenant();
    const [held, other] = [await product(tenant), await product(tenant)];
    const body = { relation: 'relates_to', target: { object: 'sales.product', id: other.id } };
    const link = (await tenant.api.post<{ id: string }>(`${PRODUCTS}/${held.id}/links`, body)).body;
    const back = (await tenant.api.get<{ data: { id: string }[] }>(`${PRODUCTS}/${other.id}/links`)).body.data[0]!;
    const scope = { objectIds: [held.id] };
    const hold = await command(tenant, { action: 'place_hold', name: 'Dispute', reason: 'Lawsuit', scope });
    const ends = [`${PRODUCTS}/${held.id}/links/${link.id}`, `${PRODUCTS}/${other.id}/links/${back.id}`];
    for (const path of ends)
      expect(await tenant.api.delete(path)).toMatchObject({ status: 423, body: { code: 'legal_hold' } });
    await command(tenant, { action: 'release_hold', id: hold['id'], reason: 'Settled' });
    expect((await tenant.api.delete(ends[1]!)).status).toBe(200);
  });

  it('stops the erasure of a candidate', async () => {
    const tenant = await stage.platform.tenant();
    const { body } = await tenant.api.post('/api/v1/talent/candidates', { name: 'Ada Lovelace' });
    const { id } = body as { id: string };
    await command(tenant, { action: 'place_hold', name: 'Dispute', reason: 'Lawsuit', scope: { objectIds: [id] } });
    expect((await tenant.api.post(`/api/v1/talent/candidates/${id}/anonymize`)).status).toBe(423);
    expect((await tenant.api.get(`/api/v1/talent/candidates/${id}`)).body).toMatchObject({ name: 'Ada Lovelace' });
  });

  it('covers records that refer to an account, are owned by a member, or fall into a period', async () => {
    const tenant = await stage.platform.tenant();
    const account = (await tenant.api.post(ACCOUNTS, { name: 'Globex' })).body as { id: string };
    const ofAccount = (await tenant.api.post(CONTACTS, { name: 'Ada', accountId: account.id })).body as { id: string };
    const member = await stage.platform.member(tenant, 'Ana');
    const owned = await product(tenant, { ownerId: member.id });
    const free = await product(tenant);
    await command(tenant, { action: 'place_hold', name: '1', reason: 'x', scope: { accountIds: [account.id] } });
    await command(tenant, { action: 'place_hold', name: '2', reason: 'x', scope: { membershipIds: [member.id] } });
    const past = { objects: ['sales.product'], to: '2001-01-01T00:00:00.000Z' };
    await command(tenant, { action: 'place_hold', name: '3', reason: 'x', scope: past });
    expect((await tenant.api.delete(`${CONTACTS}/${ofAccount.id}`)).status).toBe(423);
    expect((await tenant.api.delete(`${PRODUCTS}/${owned.id}`)).status).toBe(423);
    expect((await tenant.api.delete(`${PRODUCTS}/${free.id}`)).status).toBe(200);
  });

  it('covers what any of its lists names, among its types', async () => {
    const tenant = await stage.platform.tenant();
    const account = (await tenant.api.post(ACCOUNTS, { name: 'Globex' })).body as { id: string };
    const contact = (await tenant.api.post(CONTACTS, { name: 'Ada', accountId: account.id })).body as { id: string };
    const [named, free] = [await product(tenant), await product(tenant)];
    const scope = { objects: ['sales.contact', 'sales.product'], objectIds: [named.id], accountIds: [account.id] };
    await command(tenant, { action: 'place_hold', name: '1', reason: 'x', scope });
    expect((await tenant.api.delete(`${CONTACTS}/${contact.id}`)).status).toBe(423);
    expect((await tenant.api.delete(`${PRODUCTS}/${named.id}`)).status).toBe(423);
    expect((await tenant.api.delete(`${PRODUCTS}/${free.id}`)).status).toBe(200);
  });
});
