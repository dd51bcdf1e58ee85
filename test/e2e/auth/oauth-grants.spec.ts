import * as oauth from 'openid-client';
import { type Browser } from '../../harness/browser.js';
import { AUDIENCE, type Claims } from '../../harness/issuer.js';
import { startPlatform, type TestTenant } from '../../harness/platform.js';
import { type Door, openDoor } from './door.js';
import { dealOf, decide, setGate, type Waiting } from '../approvals/approval-calls.js';
import { delegate, errand, type Partner, partner, refusedWith, signedInBrowser, statusesOf } from './partner.js';

type Json = Record<string, unknown>;

/** Permissions of partners: every change applies to the next request in all processes. */
const door: Door = await openDoor({ OIDC_CLIENT_ID: AUDIENCE });
const second = await startPlatform({ shared: door.platform.database });
afterAll(async () => {
  await second.close();
  await door.close();
});

const { url, clock } = door.platform;
const statuses = (token: string) => statusesOf([door.platform, second], token);
const DEALS = '/api/v1/sales/deals';
const GRANTS = '/api/settings/developer/oauth-grants';

let tenant: TestTenant;
let claims: Claims;
let memberId: string;
let browser: Browser;
let app: Partner;
beforeEach(async () => {
  tenant = await door.platform.tenant();
  ({ id: memberId, claims } = await door.person(tenant));
  browser = await signedInBrowser(door, claims, tenant.slug);
  app = await partner(door);
});

describe('delegated access', () => {
  it('never exceeds the current permissions of the person', async () => {
    const tokens = await delegate(door, app, browser, { scope: 'deals:read deals:write' });
    const write = () => door.as(tokens.access_token).post(DEALS, { name: 'x' });
    expect((await write()).status).toBe(201);
    await door.sql(`delete from data.role_assignments where tenant_id = $1 and membership_id = $2`, [
      tenant.id,
      memberId,
    ]);
    expect(await statuses(tokens.access_token)).toEqual([403, 403]);
    expect((await write()).status).toBe(403);
  });

  it('is revoked with the membership, and paused while the member is suspended', async () => {
    await door.platform.member(tenant, 'Owner');
    const tokens = await delegate(door, app, browser);
    const members = `/api/admin/memberships/${memberId}`;
    expect((await tenant.api.patch(members, { status: 'suspended' })).status).toBe(200);
    expect(await statuses(tokens.access_token)).toEqual([401, 401]);
    await expect(oauth.refreshTokenGrant(app.config, tokens.refresh_token!)).rejects.toEqual(
      refusedWith('invalid_grant'),
    );
    expect((await tenant.api.patch(members, { status: 'active' })).status).toBe(200);
    expect(await statuses(tokens.access_token)).toEqual([200, 200]);
    expect((await tenant.api.patch(members, { status: 'deactivated' })).status).toBe(200);
    expect(await statuses(tokens.access_token)).toEqual([401, 401]);
    await expect(oauth.refreshTokenGrant(app.config, tokens.refresh_token!)).rejects.toEqual(
      refusedWith('invalid_grant'),
    );
    expect((await tenant.api.get<{ data: Json[] }>(GRANTS)).body.data).toMatchObject([{ status: 'revoked' }]);
  });

  it('is rejected while its client is suspended', async () => {
    const tokens = await delegate(door, app, browser);
    expect(await statuses(tokens.access_token)).toEqual([200, 200]);
    await door.sql(`update directory.oauth_clients set suspended_at = now() where id = $1`, [app.id]);
    expect(await statuses(tokens.access_token)).toEqual([401, 401]);
    await expect(oauth.refreshTokenGrant(app.config, tokens.refresh_token!)).rejects.toThrow('WWW-Authenticate');
    expect((await browser.open((await errand(app)).url)).status).toBe(400);
    expect((await tenant.api.get<{ data: Json[] }>(GRANTS)).body.data).toMatchObject([{ status: 'suspended' }]);
    await door.sql(`update directory.oauth_clients set suspended_at = null where id = $1`, [app.id]);
    expect(await statuses(tokens.access_token)).toEqual([200, 200]);
  });

  it('is rejected while its tenant is suspended', async () => {
    const tokens = await delegate(door, app, browser);
    await door.sql(`update directory.tenants set suspended_at = now() where id = $1`, [tenant.id]);
    expect(await statuses(tokens.access_token)).toEqual([403, 403]);
    await expect(oauth.refreshTokenGrant(app.config, tokens.refresh_token!)).rejects.toEqual(
      refusedWith('invalid_grant'),
    );
  });

  it('must meet the second factor that the tenant requires', async () => {
    const tokens = await delegate(door, app, browser);
    const policy = { policy: 'all', gracePeriodDays: 0, allowedMethods: ['totp'], stepUpMaxAgeMinutes: 15 };
    expect((await tenant.api.patch('/api/admin/security/mfa', policy)).status).toBe(200);
    expect(await door.as(tokens.access_token).get(DEALS)).toMatchObject({
      status: 403,
      body: { code: 'mfa_required' },
    });
    expect((await browser.open((await errand(app)).url)).status).toBe(403);
    const proof = { amr: ['pwd', 'otp'], auth_time: Math.floor(clock.nowMs() / 1_000) };
    const strong = await signedInBrowser(door, { ...claims, ...proof }, tenant.slug);
    const better = await delegate(door, app, strong);
    expect(await statuses(better.access_token)).toEqual([200, 200]);
  });

  it('executes approved actions after its token has expired, unless the grant is revoked', async () => {
    await setGate(tenant);
    const { api } = await door.platform.member(tenant, 'Bob');
    const tokens = await delegate(door, app, browser, { scope: 'deals:*' });
    const asked = async () => {
      const deal = await door.as(tokens.access_token).post<Json>(DEALS, { name: 'Big one' });
      const answer = await door.as(tokens.access_token).post<Waiting>(`${DEALS}/${String(deal.body['id'])}/win`);
      expect(answer.status).toBe(202);
      return answer.body;
    };
    const [first, other] = [await asked(), await asked()];
    clock.advance(3_600_000);
    expect(await decide(api, first, 'approve')).toMatchObject({ status: 200, body: { status: 'executed' } });
    expect(await dealOf(tenant.api, first)).toMatchObject({
      status: 'won',
      updatedBy: { id: memberId, name: 'Ana Silva through Ledger Sync' },
    });
    await oauth.tokenRevocation(app.config, tokens.refresh_token!);
    await decide(api, other, 'approve');
    expect((await dealOf(tenant.api, other)).status).toBe('open');
  });

  it('counts against the plan of the tenant, and in its usage', async () => {
    const tokens = await delegate(door, app, browser);
    const { status, headers } = await door.as(tokens.access_token).get(DEALS);
    expect([status, headers.get('ratelimit-policy')]).toEqual([200, '"read";q=60000;w=60']);
    const usage = () => tenant.api.get<{ byRoute: Json[] }>('/api/v1/developer/usage?groupBy=route');
    expect(JSON.stringify((await usage()).body)).toContain(DEALS);
  });

  it('allows neither protected operations nor creating other credentials', async () => {
    app = await partner(door, { scopes: ['*'] });
    const proof = { amr: ['pwd', 'otp'], auth_time: Math.floor(clock.nowMs() / 1_000) };
    const strong = await signedInBrowser(door, { ...claims, ...proof }, tenant.slug);
    const { access_token: token } = await delegate(door, app, strong, { scope: '*' });
    const as = door.as(token);
    expect(await as.post('/api/admin/secrets', { name: 'A', kind: 'generic', value: 'x' })).toMatchObject({
      status: 403,
      body: { code: 'step_up_required' },
    });
    const key = { name: 'Mine', kind: 'personal', scopes: ['deals:read'] };
    const refused = { status: 403, body: { code: 'permission_denied' } };
    expect(await as.post('/api/settings/developer/api-keys', key)).toMatchObject(refused);
    expect(await as.post('/api/auth/switch-tenant', { tenantSlug: tenant.slug })).toMatchObject(refused);
    expect(await as.post('/api/auth/step-up')).toMatchObject(refused);
    expect(await as.get('/api/auth/sessions')).toMatchObject(refused);
    expect(await as.get(GRANTS)).toMatchObject(refused);
  });

  it('shows the jobs that the partner has started, also after a refresh, and no others of the member', async () => {
    app = await partner(door, { scopes: ['webhooks:*'] });
    const tokens = await delegate(door, app, browser, { scope: 'webhooks:write' });
    const endpoint = { url: 'http://127.0.0.1:9/hook', eventTypes: ['sales.deal.*'] };
    const { id } = (await tenant.api.post<Json>('/api/webhooks/endpoints', endpoint)).body;
    const since = new Date(clock.nowMs() - 3_600_000).toISOString();
    const path = `/api/webhooks/endpoints/${String(id)}/recover`;
    const { status, body } = await door.as(tokens.access_token).post<Json>(path, { since });
    expect(status).toBe(202);
    const jobs = async (token: string) => {
      const { body: page } = await door.as(token).get<{ data: Json[] }>('/api/operations/jobs');
      const one = await door.as(token).get(`/api/operations/jobs/${String(body['jobId'])}`);
      return [page.data.map((job) => job['id']), one.status];
    };
    expect(await jobs(tokens.access_token)).toEqual([[body['jobId']], 200]);
    const later = await oauth.refreshTokenGrant(app.config, tokens.refresh_token!);
    expect(await jobs(later.access_token)).toEqual([[body['jobId']], 200]);
    const other = await delegate(door, await partner(door, { scopes: ['products:*'] }), browser, {
      scope: 'products:read',
    });
    expect(await jobs(other.access_token)).toEqual([[], 404]);
  });

  it('does not extend to the profile, the mails and the views of the member', async () => {
    const { access_token: token } = await delegate(door, app, browser);
    const as = door.as(token);
    const refused = { status: 403, body: { code: 'permission_denied' } };
    const view = { name: 'Mine', recordType: 'sales.deal', shared: 'private' };
    expect(await as.patch('/api/settings/profile', { name: 'Somebody else' })).toMatchObject(refused);
    expect(await as.patch('/api/settings/notifications', { kinds: { security: { email: 'none' } } })).toMatchObject(
      refused,
    );
    expect(await as.post('/api/settings/saved-views', view)).toMatchObject(refused);
  });
});

describe('grants', () => {
  it('are listed for the member who created them, and are revoked with immediate effect', async () => {
    const tokens = await delegate(door, app, browser);
    expect(await statuses(tokens.access_token)).toEqual([200, 200]);
    const { id, api } = await door.platform.member(tenant, 'Bo', ['*'], { roles: ['member'] });
    const own = await browser.open(url + GRANTS);
    const { data } = JSON.parse(own.text) as { data: Json[] };
    expect(data).toMatchObject([
      {
        clientId: app.id,
        clientName: 'Ledger Sync',
        membershipId: memberId,
        scopes: ['deals:read'],
        status: 'active',
        revokedAt: null,
      },
    ]);
    expect(data[0]!['lastUsedAt']).not.toBeNull();
    expect((await api.get<{ data: Json[] }>(GRANTS)).body.data).toEqual([]);
    expect(id).not.toBe(memberId);
    const path = `${GRANTS}/${String(data[0]!['id'])}`;
    expect((await api.delete(path)).status).toBe(404);
    expect((await (await door.platform.tenant()).api.delete(path)).status).toBe(404);
    expect((await tenant.api.delete(path)).status).toBe(200);
    expect(await statuses(tokens.access_token)).toEqual([401, 401]);
    expect((await tenant.api.delete(path)).status).toBe(404);
    await expect(oauth.refreshTokenGrant(app.config, tokens.refresh_token!)).rejects.toEqual(
      refusedWith('invalid_grant'),
    );
  });

  it('are revoked by default when the sessions of their member are reset', async () => {
    const reset = (body: Json) => tenant.api.post<Json>(`/api/admin/memberships/${memberId}/reset-session`, body);
    const tokens = await delegate(door, app, browser);
    expect((await reset({ includeOauthGrants: false })).body['revokedTokens']).toBe(0);
    expect(await statuses(tokens.access_token)).toEqual([200, 200]);
    expect((await reset({})).body['revokedTokens']).toBe(1);
    expect(await statuses(tokens.access_token)).toEqual([401, 401]);
  });
});
