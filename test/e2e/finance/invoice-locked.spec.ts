import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { act, draft, INVOICES, ISSUABLE, issued, read } from './invoice-calls.js';

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const change = (id: string, body: object) => tenant.api.patch(`${INVOICES}/${id}`, body);
const update = (id: string, set: string) =>
  asAdmin(platform.database, `update data.finance_invoices set ${set} where id = $1`, [id]);

describe('an issued invoice', () => {
  it.each([
    [{ name: 'Other' }],
    [{ lineItems: [{ description: 'Other', unitPriceMinor: 1 }] }],
    [{ lineItems: [] }],
    [{ taxInclusive: true }],
    [{ currency: 'EUR' }],
    [{ customer: { name: 'Initech' } }],
    [{ customer: null }],
    [{ accountId: null }],
    [{ issueDate: '2026-01-01' }],
    [{ dueDate: '2030-01-01' }],
    [{ paymentTermsDays: 3 }],
    [{ poNumber: 'PO-2' }],
    [{ terms: 'Never' }],
    [{ exchange: { rate: '2' } }],
    [{ notes: 'fine', terms: 'not fine' }],
  ])('rejects a change to %j', async (body) => {
    const before = await issued(tenant.api);
    const answer = await change(before.id, body);
    expect(answer).toMatchObject({ status: 409, body: { code: 'record_locked' } });
    expect(await read(tenant.api, before.id)).toEqual(before);
  });

  it('accepts changes to internal notes, owner, tags and reminders', async () => {
    const { id, contentHash } = await issued(tenant.api);
    const ada = await platform.member(tenant, 'Ada');
    const answer = await change(id, { notes: 'Call them', ownerId: ada.id, tags: ['late'], dunning: { paused: true } });
    expect(answer).toMatchObject({
      status: 200,
      body: { notes: 'Call them', ownerId: ada.id, tags: ['late'], dunning: { paused: true }, contentHash },
    });
  });

  it('accepts them in every state', async () => {
    const { id } = await issued(tenant.api);
    await act(tenant.api, id, 'void', { reason: 'x' });
    expect((await change(id, { tags: ['void'] })).status).toBe(200);
    expect((await change(id, { terms: 'x' })).status).toBe(409);
  });

  it.each([
    `number = 'INV-2026-99999'`,
    `number = null`,
    `line_items = '[]'`,
    `line_items = jsonb_set(line_items, '{0,unitPriceMinor}', '1')`,
    `total_minor = total_minor + 1, net_minor = net_minor + 1, balance_minor = balance_minor + 1`,
    `currency = 'EUR'`,
    `customer = '{"name":"Initech"}'`,
    `seller = '{}'`,
    `issue_date = '2020-01-01'`,
    `due_date = '2040-01-01'`,
    `tax_breakdown = '[]'`,
    `content_hash = repeat('0', 64)`,
    `base_total_minor = 1`,
    `status = 'draft'`,
    `status = 'draft', number = null`,
  ])('is protected by the database itself: %s', async (set) => {
    const { id } = await issued(tenant.api);
    await expect(update(id, set)).rejects.toMatchObject({ code: 'TOP05' });
  });

  it.each([
    ['a negative balance', `amount_paid_minor = 36001, balance_minor = -1, status = 'paid'`],
    ['a balance that does not match', `balance_minor = 5`],
    ['paid with an open balance', `status = 'paid'`],
    ['open without a balance', `amount_paid_minor = 36000, balance_minor = 0`],
    [
      'void with payments',
      `amount_paid_minor = 1, balance_minor = 35999, status = 'void', voided_at = now(), void_reason = 'x'`,
    ],
    ['void without a reason', `status = 'void'`],
    ['uncollectible without a write-off', `status = 'uncollectible'`],
    ['the trash', `deleted_at = now()`],
    ['the archive', `archived_at = now()`],
  ])('is never stored with an invalid state: %s', async (_, set) => {
    const { id } = await issued(tenant.api);
    await expect(update(id, set)).rejects.toMatchObject({ code: '23514' });
  });

  it('cannot be deleted from the database by the role of the API', async () => {
    const rows = await asAdmin(
      platform.database,
      `select grantee from information_schema.role_table_grants where table_name = 'finance_invoices' and privilege_type = 'DELETE'
         and grantee like '%app%'`,
    );
    expect(rows).toEqual([]);
  });
});

describe('a draft in the database', () => {
  it.each([
    ['has no number', `number = 'INV-1'`, '23514'],
    ['has no payments', `amount_paid_minor = 1, balance_minor = balance_minor - 1`, '23514'],
    ['is not issued without a number', `status = 'issued'`, '23514'],
  ])('%s', async (_, set, code) => {
    const { id } = await draft(tenant.api);
    await expect(update(id, set)).rejects.toMatchObject({ code });
  });
});

it('moves to another account only by a merge, and keeps its customer', async () => {
  const account = async (name: string) =>
    (await tenant.api.post<{ id: string }>('/api/v1/sales/accounts', { name })).body.id;
  const [from, into] = [await account('Globex'), await account('Globex Ltd')];
  const { id, contentHash } = await issued(tenant.api, { accountId: from, amount: 10 });
  expect((await change(id, { accountId: into })).status).toBe(409);
  expect((await tenant.api.post(`/api/v1/sales/accounts/${from}/merge`, { intoId: into })).status).toBe(200);
  const after = await read(tenant.api, id);
  expect(after).toMatchObject({ accountId: into, contentHash });
  expect(after['customer']).toMatchObject({ name: 'Globex' });
});

it('no two invoices of a tenant share a number, even by direct SQL', async () => {
  const [first, second] = [await issued(tenant.api), await issued(tenant.api)];
  const sql = `set session_replication_role = replica;
    update data.finance_invoices set number = '${first.number}' where id = '${second.id}'`;
  await expect(asAdmin(platform.database, sql)).rejects.toMatchObject({ code: '23505' });
});

it('locks name and lines on every path, including the collection path', async () => {
  const { id } = await issued(tenant.api, ISSUABLE);
  const one = await tenant.api.patch(INVOICES, { id, terms: 'x' });
  expect(one).toMatchObject({ status: 409, body: { code: 'record_locked' } });
  const many = await tenant.api.patch<{ results: { ok: boolean }[] }>(INVOICES, {
    items: [
      { id, terms: 'x' },
      { id, notes: 'y' },
    ],
  });
  expect(many.body.results.map(({ ok }) => ok)).toEqual([false, true]);
});
