import { DAY_MS } from '#libs/kernel/durations.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { AUDITED } from '../../harness/audit.js';
import { adminPool } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { createProvider } from '../../harness/tenants.js';
import { type Operator, operatorOf } from '../../cli/operator.js';
import { makeKey } from '../../matrix/keys.js';
import { type Door, fromSomewhere, openDoor } from '../auth/door.js';

type Json = Record<string, unknown>;

const PATH = '/api/settings/tenant';
let door: Door;
let other: TestPlatform;
let operator: Operator;
let operatorKey: string;
let tenant: TestTenant;
const admin = () => adminPool(door.platform.database.adminUrl, 1);
beforeAll(async () => {
  door = await openDoor();
  other = await startPlatform({ shared: door.platform.database, env: { TRUSTED_PROXIES: '127.0.0.1/32' } });
  operator = operatorOf(door.platform.database.settings);
  operatorKey = String((await operator.json('operator-key', 'create', '--name', 'Desk'))['operatorKey']);
});
beforeEach(async () => {
  tenant = await door.platform.tenant();
});
afterAll(async () => {
  await other.close();
  await door.close();
});

const operate = (action: string, body?: Json) =>
  door.anonymous.post<Json>(`/api/bootstrap/tenants/${tenant.id}/${action}`, body, {
    ...fromSomewhere(),
    authorization: `Bearer ${operatorKey}`,
  });
const audited = async (action: string) => {
  const rows = await door.sql<{ entry: string }>(
    `select ${AUDITED} as entry from data.audit_log where tenant_id = $1 and action = $2`,
    [tenant.id, action],
  );
  return rows.map(({ entry }) => JSON.parse(entry) as Json);
};
const events = async () => {
  const rows = await door.sql<{ type: string; envelope: string }>(
    `select type, envelope from data.events where tenant_id = $1 and subject_type = 'core.tenant' order by id`,
    [tenant.id],
  );
  return rows.map(({ type, envelope }) => ({ type, ...(JSON.parse(envelope) as { data: Json; changes: Json }) }));
};

describe('a suspended tenant', () => {
  it('is refused with its next request, for every credential and process, and served again later', async () => {
    const { token } = await door.signedIn(tenant);
    const pool = admin();
    const scim = await createProvider(pool, tenant.id);
    await pool.end();
    const calls = (platform: TestPlatform) => [
      () => platform.anonymous().get<Json>('/api/v1/sales/deals', { ...fromSomewhere(), 'x-api-key': tenant.apiKey }),
      () => platform.anonymous().get<Json>('/api/bootstrap', { ...fromSomewhere(), authorization: `Bearer ${token}` }),
      () =>
        platform
          .anonymous()
          .post<Json>('/api/v1/sales/deals', { name: 'D' }, { ...fromSomewhere(), 'x-api-key': tenant.apiKey }),
    ];
    const all = [...calls(door.platform), ...calls(other)];
    const directory = () =>
      other.anonymous().get<Json>('/api/scim/v2/Users', { ...fromSomewhere(), authorization: `Bearer ${scim}` });
    for (const call of all) expect((await call()).status).toBeLessThan(300); // cached by both processes from here on
    expect((await directory()).status).toBe(200);

    expect(await operate('suspend', { reason: 'Overdue.' })).toMatchObject({
      status: 200,
      body: { id: tenant.id, status: 'suspended', suspensionReason: 'Overdue.', version: 2 },
    });
    for (const call of all) expect(await call()).toMatchObject({ status: 403, body: { code: 'tenant_suspended' } });
    expect(await directory()).toMatchObject({ status: 403, body: { status: '403' } });
    expect(await operate('suspend', { reason: 'Again.' })).toMatchObject({
      status: 409,
      body: { code: 'invalid_transition', state: 'suspended', allowedActions: ['reactivate'] },
    });

    expect(await operate('reactivate')).toMatchObject({
      status: 200,
      body: { status: 'active', suspensionReason: null },
    });
    for (const call of all) expect((await call()).status).toBeLessThan(300);
    expect(await operate('reactivate')).toMatchObject({ status: 409, body: { allowedActions: ['suspend', 'close'] } });
  });

  it('lets nobody sign in', async () => {
    const { claims } = await door.person(tenant);
    await operate('suspend', { reason: 'Overdue.' });
    const token = () => door.issuer.token(claims);
    expect(await door.signIn(tenant, await token())).toMatchObject({ status: 403, body: { code: 'tenant_suspended' } });
    await operate('reactivate');
    expect((await door.signIn(tenant, await token())).status).toBe(201);
  });

  it('has actor and reason in its audit log and events', async () => {
    await operate('suspend', { reason: 'Overdue.' });
    await operator.json('tenant', 'reactivate', '--tenant', tenant.slug);
    const [entry] = await audited('core.tenant.suspended');
    expect(entry).toMatchObject({ actor: { type: 'system', name: 'operator key Desk' }, riskLevel: 'high' });
    expect(JSON.stringify(entry)).toContain('Overdue.');
    expect(await audited('core.tenant.reactivated')).toMatchObject([{ actor: { name: 'operator CLI' } }]);
    const told = await events();
    expect(told.map(({ type }) => type)).toEqual(['core.tenant.suspended', 'core.tenant.reactivated']);
    expect(told[0]).toMatchObject({
      data: { status: 'suspended' },
      changes: { status: { from: 'active', to: 'suspended' } },
    });
    const declared = door.platform.app.get(EventCatalogue).newest('core.tenant.suspended').data['properties'];
    for (const { data } of told) expect(Object.keys(data).sort()).toEqual(Object.keys(declared as Json).sort());
  });

  it('can only be suspended by an operator, once per idempotency key', async () => {
    const path = `/api/bootstrap/tenants/${tenant.id}/suspend`;
    const body = { reason: 'Overdue.' };
    expect((await door.anonymous.post(path, body, { ...fromSomewhere(), 'x-api-key': tenant.apiKey })).status).toBe(
      401,
    );
    const keyed = { ...fromSomewhere(), authorization: `Bearer ${operatorKey}`, 'idempotency-key': 'k' };
    const first = await door.anonymous.post(path, body, keyed);
    const again = await door.anonymous.post(path, body, keyed);
    expect({ status: again.status, text: again.text }).toEqual({ status: 200, text: first.text });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await audited('core.tenant.suspended')).toHaveLength(1);
    expect((await operate('suspend', {})).status).toBe(400);
    expect((await operate('suspend', { reason: ' ' })).status).toBe(400);
  });
});

describe('closing a tenant', () => {
  const reason = 'We have merged with Globex.';
  const owner = async (role: string, allowProtected: boolean) => {
    const { id } = await door.platform.member(tenant, `An ${role}`, ['*'], { roles: [role] });
    const pool = admin();
    const { text, id: keyId } = await makeKey(pool, tenant.id, { allowProtected });
    await pool.query('update directory.credentials set member_id = $2 where id = $1', [keyId, id]);
    await pool.end();
    return (action: string, body?: Json) =>
      door.anonymous.post<Json>(`${PATH}/${action}`, body, { ...fromSomewhere(), 'x-api-key': text });
  };

  it('requires an owner and a credential for protected operations', async () => {
    expect(await (await owner('admin', true))('close', { reason })).toMatchObject({
      status: 403,
      body: { code: 'permission_denied', requiredPermission: 'tenant:close' },
    });
    expect(await (await owner('owner', false))('close', { reason })).toMatchObject({
      status: 403,
      body: { code: 'step_up_required' },
    });
    expect(await events()).toEqual([]);
  });

  it('takes effect after thirty days and can be cancelled until then', async () => {
    const as = await owner('owner', true);
    const before = door.platform.clock.nowMs();
    const closing = await as('close', { reason });
    expect(closing).toMatchObject({ status: 200, body: { status: 'closing', version: 2 } });
    const inMs = Date.parse(String(closing.body['closesAt'])) - before;
    expect(Math.round(inMs / DAY_MS)).toBe(30);
    expect((await tenant.api.post('/api/v1/sales/deals', { name: 'D' })).status).toBe(201);
    expect(await as('close', { reason })).toMatchObject({
      status: 409,
      body: { code: 'invalid_transition', state: 'closing', allowedActions: ['suspend', 'cancel-closing'] },
    });
    expect(await as('cancel-closing')).toMatchObject({ status: 200, body: { status: 'active', closesAt: null } });
    expect((await as('cancel-closing')).status).toBe(409);
    expect((await events()).map(({ type }) => type)).toEqual([
      'core.tenant.closing_started',
      'core.tenant.closing_cancelled',
    ]);
    expect(JSON.stringify(await audited('core.tenant.closing_started'))).toContain(reason);
  });

  it('is possible for the operator and continues while the tenant is suspended', async () => {
    const cli = (...argv: string[]) => operator.json('tenant', ...argv, '--tenant', tenant.slug);
    expect(await cli('close', '--reason', reason)).toMatchObject({ tenantId: tenant.id, status: 'closing' });
    expect(await cli('suspend', '--reason', 'Overdue.')).toMatchObject({ status: 'suspended' });
    expect(await cli('reactivate')).toMatchObject({ status: 'closing' });
    expect(await cli('cancel-closing')).toMatchObject({ status: 'active' });
    const refused = await operator.run('tenant', 'cancel-closing', '--tenant', tenant.slug);
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toContain('not possible in the state active');
  });
});

describe('renaming a tenant', () => {
  it('is audited and takes effect everywhere immediately', async () => {
    const renamed = await tenant.api.patch<Json>(PATH, { name: 'Acme International' });
    expect(renamed).toMatchObject({ status: 200, body: { name: 'Acme International', slug: tenant.slug, version: 2 } });
    expect(renamed.headers.get('etag')).toBe('"2"');
    const same = await tenant.api.patch<Json>(PATH, { name: 'Acme International' });
    expect(same.body).toMatchObject({ version: 2 });
    expect((await tenant.api.patch(PATH, { name: 'Late' }, { 'if-match': '"1"' })).status).toBe(412);
    const shown = await other.anonymous().get<Json>('/api/auth/session', { 'x-api-key': tenant.apiKey });
    expect(shown.body).toMatchObject({ tenant: { name: 'Acme International' } });
    expect(await operator.json('tenant', 'rename', '--tenant', tenant.slug, '--name', 'Acme')).toMatchObject({
      name: 'Acme',
    });
    expect((await events()).map(({ changes }) => changes)).toEqual([
      { name: { from: tenant.slug, to: 'Acme International' } },
      { name: { from: 'Acme International', to: 'Acme' } },
    ]);
    const { api } = await door.platform.member(tenant, 'Mia', ['*'], { roles: ['manager'] });
    expect((await api.patch(PATH, { name: 'Mine' })).status).toBe(403);
  });
});
