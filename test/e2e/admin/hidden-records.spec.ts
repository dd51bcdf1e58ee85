import type { Client } from '../../harness/client.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { issuedInvoice } from '../finance/payment-calls.js';
import { CANDIDATES, JOBS, makeCandidate, openJob } from '../talent/talent-calls.js';
import { makeRole, makeWorkspace, type Page } from './people-calls.js';

const DEALS = '/api/v1/sales/deals';
const INVOICES = '/api/v1/finance/invoices';
const PAYMENTS = '/api/v1/finance/payments';
const PROJECTS = '/api/v1/work/projects';
const MILESTONES = '/api/v1/work/milestones';

/** Records that a caller may not see, wherever they appear or are referenced. */
let platform: TestPlatform;
let tenant: TestTenant;
let api: Client;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());
beforeEach(async () => {
  tenant = await platform.tenant();
  ({ api } = tenant);
});

const manager = () => platform.member(tenant, 'Manager', ['*'], { roles: ['manager'] });
const hidden = (pointer: string) => ({ status: 400, body: { errors: [{ pointer, code: 'unknown_reference' }] } });
const forbidden = (field: string) => ({ status: 403, body: { code: 'field_forbidden', field } });

describe('a hidden record', () => {
  const entriesAbout = async (as: Client, id: string) =>
    (await as.get<Page<object>>(`/api/admin/audit-logs?targetId=${id}`)).body.data.length;

  it('does not appear in an audit log read with limited reach', async () => {
    const { api: as } = await manager();
    const secret = await makeCandidate(api, { isPrivate: true });
    const open = await makeCandidate(api);
    expect((await as.get(`${CANDIDATES}/${secret.id}`)).status).toBe(404);
    expect(await entriesAbout(as, secret.id)).toBe(0);
    expect(await entriesAbout(as, secret.applicationId!)).toBe(0);
    expect(await entriesAbout(as, open.id)).toBe(1);
    const auditor = await platform.member(tenant, 'Auditor', ['*'], { roles: ['auditor'] });
    expect(await entriesAbout(auditor.api, secret.id)).toBe(1);
  });

  it('still appears there when it is only in the trash for the reader', async () => {
    const { api: as } = await manager();
    const { id } = await makeCandidate(api);
    await api.delete(`${CANDIDATES}/${id}`);
    expect(await entriesAbout(as, id)).toBe(2);
  });

  it('does not appear in exceptions to roles', async () => {
    const { id: other } = await manager();
    const { api: as } = await manager();
    const secret = await makeCandidate(api, { isPrivate: true });
    const open = await makeCandidate(api);
    for (const { id } of [secret, open])
      await api.post('/api/admin/resource-permissions', {
        object: 'talent.candidate',
        objectId: id,
        principal: { type: 'membership', id: other },
        level: 'edit',
      });
    const { body } = await as.get<Page<{ objectId: string }>>('/api/admin/resource-permissions');
    expect(body.data.map(({ objectId }) => objectId)).toEqual([open.id]);
  });
});

describe('a reference to a hidden record', () => {
  it('cannot be used to pay an invoice and reveals nothing of it', async () => {
    const invoice = await issuedInvoice(api, 5_000);
    const { id, api: as } = await platform.member(tenant, 'Billing', ['*'], { roles: ['billing'] });
    const payment = await as.post<{ id: string }>(PAYMENTS, { amountMinor: 9_000 });
    await as.post(`${PAYMENTS}/${payment.body.id}/succeed`);
    await api.post('/api/admin/resource-permissions', {
      object: 'finance.invoice',
      objectId: invoice.id,
      principal: { type: 'membership', id },
      effect: 'deny',
    });
    const allocations = [{ invoiceId: invoice.id, amountMinor: 9_000 }];
    expect(await as.post(PAYMENTS, { amountMinor: 9_000, allocations })).toMatchObject(hidden('/allocations'));
    expect(await as.post(`${PAYMENTS}/${payment.body.id}/allocate`, { allocations })).toMatchObject(
      hidden('/allocations/0/invoiceId'),
    );
    expect((await api.get(`${INVOICES}/${invoice.id}`)).body).toMatchObject({ balanceMinor: 5_000, status: 'issued' });
  });

  it('cannot be used to invoice a private project or its milestone', async () => {
    const { api: as } = await platform.member(tenant, 'Billing', ['*'], { roles: ['billing'] });
    const project = (await api.post<{ id: string }>(PROJECTS, { name: 'Secret', visibility: 'private' })).body;
    const milestone = (await api.post<{ id: string }>(MILESTONES, { name: 'Part', projectId: project.id })).body;
    const line = (object: string, id: string) => ({
      lineItems: [{ description: 'x', unitPriceMinor: 1, source: { object, id } }],
    });
    expect(await as.post(INVOICES, { name: 'x', projectId: project.id })).toMatchObject(hidden('/projectId'));
    expect(await as.post(INVOICES, { name: 'x', ...line('work.milestone', milestone.id) })).toMatchObject(
      hidden('/lineItems'),
    );
    expect((await api.post(INVOICES, { name: 'x', projectId: project.id })).status).toBe(201);
  });

  it('stays, and others may be added', async () => {
    const { id, api: as } = await manager();
    const contact = async (name: string) =>
      (await api.post<{ id: string }>('/api/v1/sales/contacts', { name })).body.id;
    const [secret, open] = [await contact('Secret'), await contact('Open')];
    const deal = (await api.post<{ id: string }>(DEALS, { name: 'Deal', contactIds: [secret] })).body;
    await api.post('/api/admin/resource-permissions', {
      object: 'sales.contact',
      objectId: secret,
      principal: { type: 'membership', id },
      effect: 'deny',
    });
    const patched = await as.patch(`${DEALS}/${deal.id}`, { contactIds: [secret, open] });
    expect(patched).toMatchObject({ status: 200, body: { contactIds: [secret, open] } });
    expect(await as.patch(`${DEALS}/${deal.id}`, { primaryContactId: secret })).toMatchObject(
      hidden('/primaryContactId'),
    );
  });
});

describe('a reference that grants access', () => {
  it('adds nobody to the hiring team of a record that the caller cannot see', async () => {
    const recruiter = await platform.member(tenant, 'Recruiter');
    const job = await openJob(api, { recruiterIds: [recruiter.id] });
    const { id, api: as } = await manager();
    const path = `${JOBS}/${job.id}`;
    expect((await as.patch(path, { hiringManagerId: id })).status).toBe(200); // nothing is private yet
    expect((await as.patch(path, { hiringManagerId: null })).status).toBe(200);
    const secret = await makeCandidate(api, { jobId: job.id, isPrivate: true });
    expect(await as.patch(path, { recruiterIds: [recruiter.id, id] })).toMatchObject(forbidden('recruiterIds'));
    expect(await as.patch(path, { hiringManagerId: recruiter.id })).toMatchObject(forbidden('hiringManagerId'));
    expect((await as.get(`${CANDIDATES}/${secret.id}`)).status).toBe(404);
    expect((await as.patch(path, { openings: 2 })).status).toBe(200);
    expect((await recruiter.api.patch(path, { recruiterIds: [recruiter.id, id] })).status).toBe(200);
    expect((await as.get(`${CANDIDATES}/${secret.id}`)).status).toBe(200);
  });

  it('does not extend rights limited to own records or workspaces through a record', async () => {
    const elsewhere = await makeWorkspace(tenant.api, 'Elsewhere');
    const role = await makeRole(tenant, 'Closer', [
      'deals:read',
      'deals:write',
      'deals:delete@own',
      'deals:close@workspace',
    ]);
    const { id, api: as } = await platform.member(tenant, 'Closer', ['*'], { roles: [role] });
    const deal = (await api.post<{ id: string }>(DEALS, { name: 'Deal', workspaceId: elsewhere })).body;
    const path = `${DEALS}/${deal.id}`;
    const refused = { status: 403, body: { code: 'permission_denied' } };
    expect(await as.patch(path, { ownerId: id })).toMatchObject(refused);
    expect(await as.patch(path, { workspaceId: null })).toMatchObject(refused);
    expect((await as.patch(path, { name: 'Renamed' })).status).toBe(200);
    const own = (await as.post<{ id: string }>(DEALS, { name: 'Own' })).body;
    expect((await as.patch(`${DEALS}/${own.id}`, { ownerId: id, workspaceId: elsewhere })).status).toBe(200);
  });
});
