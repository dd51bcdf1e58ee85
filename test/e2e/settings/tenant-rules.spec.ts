import type { AreaList } from '#src/areas/discovery/operations/operation.dto.js';
import { Client } from '../../harness/client.js';
import { Contract } from '../../harness/contract.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { askFor, DEALS, type Key, KEYS, makeKey, withKey } from './key-calls.js';

/** Settings that apply to every credential of the tenant, and the branding for apps. */
let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform({ env: { TRUSTED_PROXIES: '127.0.0.1/32' } });
});
beforeEach(async () => {
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const SETTINGS = '/api/admin/settings';
const OUTSIDE = { 'x-forwarded-for': '203.0.113.9' };
const INSIDE = { 'x-forwarded-for': '198.51.100.7' };
const set = (patch: object, headers = {}) => tenant.api.patch(SETTINGS, patch, headers);

describe('a list of addresses', () => {
  const limit = (ipAllowList: string[] | null, headers = INSIDE) => set({ security: { ipAllowList } }, headers);

  it('applies to every credential from the next request on, in every process', async () => {
    const { api } = await platform.member(tenant, 'Ada');
    const other = await startPlatform({ shared: platform.database });
    try {
      const elsewhere = new Client(other.url, api.headers, Contract.of(other.document));
      const callers = [tenant.api, api, elsewhere];
      for (const each of callers) expect(await each.get(DEALS, OUTSIDE)).toMatchObject({ status: 200 });
      const list = ['198.51.100.0/24', '2001:db8::1'];
      expect(await limit(list)).toMatchObject({ status: 200, body: { security: { ipAllowList: list } } });
      const refused = { status: 403, body: { code: 'ip_not_allowed' } };
      for (const each of callers) {
        expect(await each.get(DEALS, OUTSIDE)).toMatchObject(refused);
        for (const inside of [INSIDE, { 'x-forwarded-for': '2001:db8::1' }])
          expect(await each.get(DEALS, inside)).toMatchObject({ status: 200 });
      }
      expect(await limit(null)).toMatchObject({ status: 200 });
      for (const each of callers) expect(await each.get(DEALS, OUTSIDE)).toMatchObject({ status: 200 });
    } finally {
      await other.close();
    }
  });

  it('applies together with the list of the key', async () => {
    const key = await platform.key(tenant, ['deals:read'], { cidrs: ['203.0.113.0/24', '198.51.100.7/32'] });
    expect(await key.get(DEALS, OUTSIDE)).toMatchObject({ status: 200 });
    await limit(['198.51.100.0/24']);
    expect(await key.get(DEALS, OUTSIDE)).toMatchObject({ status: 403 });
    expect(await key.get(DEALS, INSIDE)).toMatchObject({ status: 200 });
    expect(await key.get(DEALS, { 'x-forwarded-for': '198.51.100.8' })).toMatchObject({ status: 403 });
  });

  it('must contain the address of the caller, and only valid addresses', async () => {
    const refused = (pointer: string, code: string) => ({ status: 400, body: { errors: [{ pointer, code }] } });
    expect(await limit(['198.51.100.0/24'], OUTSIDE)).toMatchObject(
      refused('/security/ipAllowList', 'own_address_missing'),
    );
    expect(await limit(['office'])).toMatchObject(refused('/security/ipAllowList/0', 'invalid_network'));
    expect(await limit(['198.51.100.0/33'])).toMatchObject(refused('/security/ipAllowList/0', 'invalid_network'));
    expect((await tenant.api.get<{ version: number }>(SETTINGS, OUTSIDE)).body.version).toBe(1);
  });
});

describe('the age of API keys', () => {
  const inDays = (days: number) => new Date(platform.clock.nowMs() + days * DAY_MS).toISOString();
  const tooLong = { status: 400, body: { errors: [{ pointer: '/expiresAt', code: 'out_of_range' }] } };

  it('is limited for new keys and new expiry times; existing keys keep theirs', async () => {
    const old = await makeKey(tenant.api);
    await set({ security: { apiKeyMaxAgeDays: 30 } });
    await platform.clock.standStill(async () => {
      expect((await makeKey(tenant.api)).expiresAt).toBe(inDays(30));
      expect((await makeKey(tenant.api, { expiresAt: inDays(29) })).expiresAt).toBe(inDays(29));
    });
    for (const expiresAt of [inDays(31), null]) expect(await askFor(tenant.api, { expiresAt })).toMatchObject(tooLong);
    const path = `${KEYS}/${old.id}`;
    expect(await tenant.api.patch(path, { scopes: ['deals:read', 'tasks:read'] })).toMatchObject({
      status: 200,
      body: { expiresAt: old.expiresAt },
    });
    expect(await tenant.api.patch(path, { expiresAt: inDays(200) })).toMatchObject(tooLong);
    expect(await withKey(platform, old).get(DEALS)).toMatchObject({ status: 200 });
  });

  it('is measured from the creation of the secret, which only a rotation resets', async () => {
    await set({ security: { apiKeyMaxAgeDays: 30 } });
    await platform.clock.standStill(async () => {
      const key = await makeKey(tenant.api, { expiresAt: inDays(20) });
      platform.clock.advance(15 * DAY_MS);
      expect(await tenant.api.patch(`${KEYS}/${key.id}`, { expiresAt: inDays(16) })).toMatchObject(tooLong);
      expect(await tenant.api.patch(`${KEYS}/${key.id}`, { expiresAt: inDays(15) })).toMatchObject({ status: 200 });
      const rotated = await tenant.api.post<Key>(`${KEYS}/${key.id}/rotate`, {});
      expect(rotated.body.expiresAt).toBe(inDays(30));
      platform.clock.advance(-15 * DAY_MS);
    });
  });

  it('sets an expiry on keys without one when they are rotated', async () => {
    const endless = await makeKey(tenant.api, { expiresAt: null });
    await set({ security: { apiKeyMaxAgeDays: 7 } });
    await platform.clock.standStill(async () => {
      const rotated = await tenant.api.post<Key>(`${KEYS}/${endless.id}/rotate`, {});
      expect(rotated.body.expiresAt).toBe(inDays(7));
    });
  });
});

describe('a disabled area', () => {
  const refused = { status: 403, body: { code: 'feature_disabled' } };
  const areas = async () => (await tenant.api.get<{ areas: string[] }>('/api/bootstrap?fields=areas')).body.areas;
  const discovered = async () => {
    const { body } = await tenant.api.get<AreaList>('/api/discovery');
    return body.data.find(({ key }) => key === 'sales')!;
  };

  it('is rejected for everybody, disabled in discovery and missing from navigation, until it is enabled again', async () => {
    const deal = await tenant.api.post<{ id: string }>(DEALS, { name: 'Acme' });
    const path = `${DEALS}/${deal.body.id}`;
    const { api } = await platform.member(tenant, 'Mia', ['*'], { roles: ['member'] });
    expect(await areas()).toContain('sales');
    expect(await set({ features: { sales: false } })).toMatchObject({
      status: 200,
      body: { features: { sales: false, finance: true }, changed: ['features.sales'] },
    });
    for (const each of [tenant.api, api]) {
      expect(await each.get(path)).toMatchObject(refused);
      expect(await each.post(DEALS, { name: 'More' })).toMatchObject(refused);
    }
    for (const part of ['comments', 'activity', 'links'])
      expect(await tenant.api.get(`${path}/${part}`)).toMatchObject(refused);
    expect(await tenant.api.get('/api/v1/finance/invoices')).toMatchObject({ status: 200 });
    expect(await areas()).not.toContain('sales');
    expect(await discovered()).toMatchObject({ status: 'disabled', allowed: 0 });
    const operation = await tenant.api.get<{ data: object[] }>('/api/discovery/operations?area=sales&allowed=true');
    expect(operation.body.data).toEqual([]);
    await set({ features: { sales: null } });
    expect(await tenant.api.get(path)).toMatchObject({ status: 200 });
    expect(await discovered()).toMatchObject({ status: 'enabled' });
    expect(await areas()).toContain('sales');
  });

  it('does not replay stored responses', async () => {
    const key = { 'idempotency-key': 'once' };
    expect(await tenant.api.post(DEALS, { name: 'Acme' }, key)).toMatchObject({ status: 201 });
    await set({ features: { sales: false } });
    expect(await tenant.api.post(DEALS, { name: 'Acme' }, key)).toMatchObject(refused);
  });

  it('cannot be a core area', async () => {
    for (const area of ['admin', 'ai', 'settings', 'webhooks'])
      expect(await set({ features: { [area]: false } })).toMatchObject({
        status: 400,
        body: { errors: [{ pointer: `/features/${area}`, code: 'unknown_field' }] },
      });
  });
});

it('returns the branding of the tenant to apps', async () => {
  const branding = async () =>
    (await tenant.api.get<{ settings: { branding: object } }>('/api/bootstrap?fields=settings')).body.settings.branding;
  expect(await branding()).toEqual({ displayName: null, primaryColor: null });
  expect(await set({ branding: { displayName: 'Acme', primaryColor: '#0F62FE' } })).toMatchObject({ status: 200 });
  expect(await branding()).toEqual({ displayName: 'Acme', primaryColor: '#0F62FE' });
  expect(await set({ branding: { primaryColor: 'blue' } })).toMatchObject({ status: 400 });
});

describe('reasons for losing deals', () => {
  const lose = async (lostReason: string) => {
    const { body } = await tenant.api.post<{ id: string }>(DEALS, { name: 'Acme' });
    const path = `${DEALS}/${body.id}`;
    return { path, ...(await tenant.api.post(`${path}/lose`, { lostReason })) };
  };
  const refused = { status: 400, body: { errors: [{ pointer: '/lostReason', code: 'invalid_value' }] } };

  it('are limited to the list of the tenant', async () => {
    expect(await lose('price')).toMatchObject({ status: 200 });
    await set({ sales: { lostReasons: ['Too slow', 'Budget cut'] } });
    expect(await lose('price')).toMatchObject(refused);
    const { path, ...lost } = await lose('Too slow');
    expect(lost).toMatchObject({ status: 200, body: { lostReason: 'Too slow' } });
    expect(await tenant.api.patch(path, { lostReason: 'fit' })).toMatchObject(refused);
    expect(await tenant.api.patch(path, { lostReason: 'Budget cut' })).toMatchObject({ status: 200 });
    const found = await tenant.api.get<{ data: object[] }>(`${DEALS}?lostReason=${encodeURIComponent('Budget cut')}`);
    expect(found.body.data).toMatchObject([{ lostReason: 'Budget cut' }]);
    await set({ sales: { lostReasons: [] } });
    expect(await lose('Whatever')).toMatchObject({ status: 200 });
    expect(await tenant.api.patch(path, { lostNotes: 'Next year' })).toMatchObject({ status: 200 });
  });
});
