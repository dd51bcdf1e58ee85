import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import { Database } from '#libs/database/database.js';
import { Metrics } from '#libs/metrics/metrics.js';
import type { Answer, Client } from '../../harness/client.js';
import { asAdmin } from '../../harness/database.js';
import { replaceGates } from '../../harness/gates.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';

/** Refusals are audited, also where the tenant has changed since the process has cached the credential. */
let platform: TestPlatform;
let tenant: TestTenant;
/** An owner with a key that is not for protected operations. */
let owner: { id: string; api: Client };
let viewer: { id: string; api: Client };
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
  owner = await platform.member(tenant, 'Ann');
  viewer = await platform.member(tenant, 'Val', ['*'], { roles: ['viewer'] });
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => platform.close());

type Ask = (headers: Record<string, string>) => Promise<Answer>;

const { admin: ADMIN } = SYSTEM_ROLE_IDS;
const DEALS = '/api/v1/sales/deals';
const provider = { key: 'mine', name: 'Mine', api: 'openai', baseUrl: 'http://127.0.0.1:4599/v1', secretName: 'A/B' };

/** Requests that a service refuses, not a guard, with the code of the refusal. */
const REFUSED: Record<string, [code: string, (api: Client) => Ask | Promise<Ask>]> = {
  'an AI provider with a secret': [
    'step_up_required',
    (api) => (headers) => api.post('/api/ai/providers', provider, headers),
  ],
  'a key for protected operations': [
    'step_up_required',
    (api) => (headers) =>
      api.post(
        '/api/settings/developer/api-keys',
        { name: 'K', kind: 'service', scopes: ['deals:read'], allowProtected: true },
        headers,
      ),
  ],
  'a key with more rights than the caller': [
    'grant_exceeds_rights',
    async () => {
      const narrow = await platform.key(tenant, ['api-keys:manage'], { memberId: owner.id });
      const body = { name: 'K', kind: 'service', scopes: ['deals:read'] };
      await narrow.get('/api/settings/developer/api-keys');
      return (headers) => narrow.post('/api/settings/developer/api-keys', body, headers);
    },
  ],
  'a privileged role': [
    'step_up_required',
    (api) => (headers) => api.patch(`/api/admin/memberships/${viewer.id}`, { roleIds: [ADMIN] }, headers),
  ],
  'an invitation with a privileged role': [
    'step_up_required',
    (api) => (headers) => api.post('/api/admin/invitations', { emails: ['bo@acme.test'], roleIds: [ADMIN] }, headers),
  ],
  'a role of one’s own': [
    'not_by_oneself',
    (api) => (headers) =>
      api.patch(
        `/api/admin/memberships/${owner.id}`,
        { roleIds: [SYSTEM_ROLE_IDS.owner, SYSTEM_ROLE_IDS.member] },
        headers,
      ),
  ],
  'an action that a gate denies': [
    'gate_denied',
    async (api) => {
      const { body } = await api.post<{ id: string }>(DEALS, { name: 'Acme' });
      await replaceGates(tenant.api, [{ key: 'deal.win', effect: 'deny' }]);
      return (headers) => api.post(`${DEALS}/${body.id}/win`, undefined, headers);
    },
  ],
};

const raiseEpoch = () =>
  asAdmin(platform.database, 'update directory.tenants set epoch = epoch + 1 where id = $1', [tenant.id]);
const auditOf = async (requestId: string) =>
  (await tenant.api.get<{ data: object[] }>(`/api/admin/audit-logs?requestId=${requestId}`)).body.data;

it.each(Object.entries(REFUSED))('the refusal of %s is audited', async (_, [code, prepare]) => {
  const ask = await prepare(owner.api);
  await owner.api.get(DEALS); // caches the credential
  for (const [requestId, between] of [
    ['request-before-1', () => Promise.resolve()],
    ['request-after-01', raiseEpoch],
  ] as const) {
    await between();
    expect(await ask({ 'x-request-id': requestId })).toMatchObject({ status: 403, body: { code } });
    expect(await auditOf(requestId)).toMatchObject([{ outcome: 'denied', reason: code, actor: { type: 'api_key' } }]);
  }
});

describe('a refusal that cannot be written at once', () => {
  const ask: Ask = (headers) => owner.api.post('/api/ai/providers', provider, headers);
  const lost = () => platform.app.get(Metrics).value('audit_refusals_lost_total');

  it('is written at the second try', async () => {
    const before = await lost();
    const spy = jest.spyOn(platform.app.get(Database), 'aside').mockRejectedValueOnce(new Error('once'));
    expect(await ask({ 'x-request-id': 'second-try-0001' })).toMatchObject({ status: 403 });
    expect(spy).toHaveBeenCalledTimes(2);
    expect(await auditOf('second-try-0001')).toHaveLength(1);
    expect(await lost()).toBe(before);
  });

  it('is counted when it fails for good, and the caller is refused all the same', async () => {
    const before = (await lost()) ?? 0;
    jest.spyOn(platform.app.get(Database), 'aside').mockRejectedValue(new Error('always'));
    expect(await ask({})).toMatchObject({ status: 403, body: { code: 'step_up_required' } });
    expect(await lost()).toBe(before + 1);
  });
});
