import * as oauth from 'openid-client';
import { Browser } from '../../harness/browser.js';
import { AUDIENCE, type Claims } from '../../harness/issuer.js';
import { startPlatform, type TestTenant } from '../../harness/platform.js';
import { type Door, fromSomewhere, openDoor } from './door.js';
import {
  allowed,
  CALLBACK,
  comeBack,
  delegate,
  errand,
  type Partner,
  partner,
  press,
  redeem,
  refusedWith,
  signedInBrowser,
  statusesOf,
} from './partner.js';

type Json = Record<string, unknown>;

/** Partners that use openid-client, from registration to requests on behalf of a member. */
const door: Door = await openDoor({ OIDC_CLIENT_ID: AUDIENCE });
const second = await startPlatform({ shared: door.platform.database });
afterAll(async () => {
  await second.close();
  await door.close();
});

const { url, clock } = door.platform;
const statuses = (token: string) => statusesOf([door.platform, second], token);
const DEALS = '/api/v1/sales/deals';

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

describe('a partner', () => {
  it('discovers the server at three paths', async () => {
    const documents = await Promise.all(
      ['', '/api/auth/oauth', '/api/auth'].map((base) =>
        door.anonymous.get<Json>(`${base}/.well-known/oauth-authorization-server`, fromSomewhere()),
      ),
    );
    for (const { body } of documents) expect(body).toEqual(documents[0]!.body);
    expect(documents[0]!.body).toMatchObject({
      issuer: url,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    });
    expect(await door.anonymous.get('/api/auth/oauth/jwks', fromSomewhere())).toMatchObject({ body: { keys: [] } });
  });

  it.each([true, false])('acts for a member within the granted scope (confidential: %s)', async (confidential) => {
    app = await partner(door, { confidential });
    const asked = await errand(app, { scope: 'deals:read deals:write' });
    const stranger = new Browser(fromSomewhere());
    const login = await stranger.open(asked.url);
    expect(login.location!.pathname).toBe('/api/auth/login');
    const back = await comeBack(door, stranger, await stranger.open(login.location!), claims);
    expect(back.location!.href).toBe(asked.url.href);
    const page = await stranger.open(back.location!);
    expect(page.status).toBe(200);
    for (const text of ['Ledger Sync', tenant.slug, 'Read deals', 'Create and edit deals', String(claims.email)])
      expect(page.text).toContain(text);
    const answer = await press(door, stranger, page, { decision: 'allow' });
    expect(answer.status).toBe(303);
    expect(answer.location!.searchParams.get('iss')).toBe(url);
    const tokens = await redeem(app, answer.location!, asked);
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 600, scope: 'deals:read deals:write' });
    expect(tokens.access_token).toMatch(/^top_oauth_/);
    const held = await door.sql(`select t::text as text from directory.oauth_tokens t where token_hash is not null`);
    expect(JSON.stringify(held)).not.toContain(tokens.refresh_token);
    expect(await statuses(tokens.access_token)).toEqual([200, 200]);
    const made = await door.as(tokens.access_token).post(DEALS, { name: 'By the partner' });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      createdBy: { type: 'member', id: memberId, name: 'Ana Silva through Ledger Sync' },
    });
    expect(await door.as(tokens.access_token).get('/api/v1/sales/accounts')).toMatchObject({
      status: 403,
      body: { code: 'permission_denied', requiredPermission: 'accounts:read' },
    });
    expect(await door.as(tokens.access_token).get('/api/auth/session')).toMatchObject({
      body: {
        kind: 'oauth_token',
        session: null,
        apiKey: null,
        membership: { id: memberId },
        client: { id: app.id, name: 'Ledger Sync', scopes: ['deals:read', 'deals:write'] },
        permissions: ['deals:read', 'deals:write'],
      },
    });
  });

  it('refreshes, introspects and revokes tokens', async () => {
    const first = await delegate(door, app, browser);
    const next = await oauth.refreshTokenGrant(app.config, first.refresh_token!);
    expect(next.scope).toBe('deals:read');
    expect(await statuses(next.access_token)).toEqual([200, 200]);
    const state = await oauth.tokenIntrospection(app.config, next.access_token);
    expect(state).toMatchObject({
      active: true,
      client_id: app.id,
      scope: 'deals:read',
      sub: memberId,
      tenant: tenant.slug,
    });
    expect(Number(state.exp) - Number(state.iat)).toBe(600);
    expect(await oauth.tokenIntrospection(app.config, next.refresh_token!)).toMatchObject({ active: true });
    expect(await oauth.tokenIntrospection(app.config, first.refresh_token!)).toEqual({ active: false });
    const other = await partner(door);
    expect(await oauth.tokenIntrospection(other.config, next.access_token)).toEqual({ active: false });
    await expect(oauth.tokenRevocation(other.config, next.access_token)).rejects.toEqual(
      refusedWith('unauthorized_client'),
    );
    // A refresh token that was already exchanged works too.
    await oauth.tokenRevocation(app.config, first.refresh_token!);
    expect(await statuses(next.access_token)).toEqual([401, 401]);
    expect(await statuses(first.access_token)).toEqual([401, 401]);
    await oauth.tokenRevocation(app.config, next.refresh_token!);
    await expect(oauth.refreshTokenGrant(app.config, next.refresh_token!)).rejects.toEqual(
      refusedWith('invalid_grant'),
    );
  });

  it('gets access_denied when the person denies access', async () => {
    const asked = await errand(app);
    const page = await browser.open(asked.url);
    const { location } = await press(door, browser, page, { decision: 'deny' });
    expect(location!.href.startsWith(CALLBACK)).toBe(true);
    expect(Object.fromEntries(location!.searchParams)).toMatchObject({
      error: 'access_denied',
      state: asked.state,
      iss: url,
    });
    expect(await door.sql(`select id from data.oauth_grants where tenant_id = $1`, [tenant.id])).toEqual([]);
  });

  it('is shown for the tenant that the person switches to', async () => {
    const other = await door.platform.tenant();
    await door.sql(
      `insert into data.memberships (tenant_id, id, email, name, status, created_at)
       values ($1, gen_random_uuid(), $2, 'Ana', 'active', now())`,
      [other.id, claims.email],
    );
    const torn = await signedInBrowser(door, claims);
    const asked = await errand(app);
    const unchosen = await torn.open(asked.url);
    expect(unchosen.text).not.toContain('value="allow"');
    expect((await press(door, torn, unchosen, { decision: 'allow' })).status).toBe(403);
    const fresh = await torn.open(asked.url);
    expect((await press(door, torn, fresh, { decision: 'switch', tenant: 'no-such-tenant' })).status).toBe(404);
    const there = await press(door, torn, fresh, { decision: 'switch', tenant: tenant.slug });
    expect(there.location!.href).toBe(asked.url.href);
    const page = await torn.open(there.location!);
    expect(page.text).toContain(`(${tenant.slug})`);
    // A page of another session, and so of another tenant, cannot be submitted.
    expect((await press(door, torn, fresh, { decision: 'allow' })).status).toBe(400);
    const back = await press(door, torn, page, { decision: 'allow' });
    const tokens = await redeem(app, back.location!, asked);
    expect(await door.as(tokens.access_token).get('/api/auth/session')).toMatchObject({
      body: { tenant: { slug: tenant.slug } },
    });
    const mismatch = await door.as(tokens.access_token, { 'x-tenant-slug': other.slug }).get(DEALS);
    expect(mismatch.status).toBe(401);
  });
});

describe('the consent page', () => {
  it('has no script, cannot be framed or cached, and redirects only to the partner', async () => {
    const { headers, text } = await browser.open((await errand(app)).url);
    const policy = headers.get('content-security-policy')!;
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; img-src 'self'; base-uri 'none'; /);
    expect(policy).toContain(`form-action 'self' http://127.0.0.1:9;`);
    expect(policy).toContain(`frame-ancestors 'none'`);
    expect(headers.get('cache-control')).toBe('no-store');
    // Under no-referrer, browsers would send the form with the origin null.
    expect(headers.get('referrer-policy')).toBe('same-origin');
    expect(text).not.toContain('<script');
    // Where it says how to take the access back.
    const reference = /href="(\/docs[^"#]*)#([^"]*)"/.exec(text)!;
    expect((await browser.open(door.platform.url + reference[1]!)).text).toContain(`id="${reference[2]!}"`);
  });

  it('escapes names', async () => {
    app = await partner(door, { name: '<b>"Sync"</b>' });
    const { text } = await browser.open((await errand(app)).url);
    expect(text).not.toContain('<b>');
    expect(text).toContain('&lt;b&gt;&quot;Sync&quot;&lt;/b&gt;');
  });

  it.each<[string, Record<string, string>]>([
    ['no origin', {}],
    ['another origin', { origin: 'https://evil.example' }],
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'null' }],
  ])('cannot be submitted from another site: %s', async (_, headers) => {
    const page = await browser.open((await errand(app)).url);
    expect((await press(door, browser, page, { decision: 'allow' }, headers)).status).toBe(403);
  });

  it('can be submitted once, unchanged, in its session, before it expires', async () => {
    const asked = await errand(app);
    const page = await browser.open(asked.url);
    const { claims: others } = await door.person(tenant, 'Bo');
    const foreign = await signedInBrowser(door, others, tenant.slug);
    expect((await press(door, foreign, page, { decision: 'allow' })).status).toBe(400);
    expect((await press(door, browser, page, { decision: 'allow', request: 'made-up' })).status).toBe(400);
    expect((await press(door, browser, page, { decision: 'maybe' })).status).toBe(400);
    const first = await press(door, browser, page, { decision: 'allow' });
    expect([first.status, first.text]).toEqual([303, '']);
    clock.advance(61_000);
    expect((await press(door, browser, page, { decision: 'allow' })).status).toBe(400);
    const late = await browser.open(asked.url);
    clock.advance(11 * 60_000);
    expect((await press(door, browser, late, { decision: 'allow' })).status).toBe(400);
  });

  it('leads to the partner after a double click, with one grant and a code that can be exchanged', async () => {
    const asked = await errand(app);
    const page = await browser.open(asked.url);
    const twice = await Promise.all([1, 2].map(() => press(door, browser, page, { decision: 'allow' })));
    expect(twice.map(({ status }) => status)).toEqual([303, 303]);
    const late = await press(door, browser, page, { decision: 'allow' });
    for (const { location } of [...twice, late]) {
      expect(location!.searchParams.get('state')).toBe(asked.state);
      const tokens = await redeem(app, location!, asked);
      expect((await door.as(tokens.access_token).get(DEALS)).status).toBe(200);
    }
    const [grant, ...others] = await door.sql<{ id: string }>(`select id from data.oauth_grants where tenant_id = $1`, [
      tenant.id,
    ]);
    expect(others).toEqual([]);
    await door.sql(`update data.oauth_grants set revoked_at = now() where id = $1`, [grant!.id]);
    expect((await press(door, browser, page, { decision: 'allow' })).status).toBe(400);
  });

  it('leads to the partner after a double click on Deny, too', async () => {
    const page = await browser.open((await errand(app)).url);
    const twice = await Promise.all([1, 2].map(() => press(door, browser, page, { decision: 'deny' })));
    for (const { status, location } of twice)
      expect([status, location!.searchParams.get('error')]).toEqual([303, 'access_denied']);
  });

  it('requires a session, not a key or token', async () => {
    const { access_token: token } = await delegate(door, app, browser);
    const form = { request: 'x', decision: 'allow' };
    const credentials: Record<string, string>[] = [
      { 'x-api-key': tenant.apiKey },
      { authorization: `Bearer ${token}` },
    ];
    for (const headers of credentials) {
      const answer = await fetch(`${url}/api/auth/oauth/authorize`, {
        method: 'POST',
        body: new URLSearchParams(form),
        headers: { ...fromSomewhere(), ...headers },
      });
      expect(answer.status).toBe(401);
    }
  });
});

describe('an app on the machine of the person', () => {
  it.each(['http://127.0.0.1:51234/callback', 'http://127.0.0.1/callback'])(
    'may listen at any port: %s',
    async (uri) => {
      const asked = await errand(app, { redirect_uri: uri });
      const page = await browser.open(asked.url);
      expect(page.headers.get('content-security-policy')).toContain(`form-action 'self' ${new URL(uri).origin};`);
      const back = (await press(door, browser, page, { decision: 'allow' })).location!;
      expect(back.href.startsWith(`${uri}?`)).toBe(true);
      expect(await redeem(app, back, asked)).toMatchObject({ scope: 'deals:read' });
    },
  );

  it('must exchange its code for the port that it asked with', async () => {
    const asked = await errand(app, { redirect_uri: 'http://127.0.0.1:51234/callback' });
    const back = await allowed(door, browser, asked);
    back.port = '51235';
    await expect(redeem(app, back, asked)).rejects.toEqual(refusedWith('invalid_grant'));
  });
});

describe('a hostile request', () => {
  it.each<[string, Record<string, string>]>([
    ['an unregistered redirect URI', { redirect_uri: 'https://evil.example/callback' }],
    ['a redirect URI with the same prefix', { redirect_uri: `${CALLBACK}/../evil` }],
    ['another port that is not on the own machine', { redirect_uri: 'https://partner.example:444/other' }],
    ['another path on the own machine', { redirect_uri: 'http://127.0.0.1:51234/other' }],
    ['a host that begins like the own machine', { redirect_uri: 'http://127.0.0.1.evil.example/callback' }],
    ['a host behind the own machine', { redirect_uri: 'http://127.0.0.1:9@evil.example/callback' }],
    ['TLS on the own machine', { redirect_uri: 'https://127.0.0.1:9/callback' }],
    ['a port that there is not', { redirect_uri: 'http://127.0.0.1:99999/callback' }],
    ['a redirect URI in another case', { redirect_uri: CALLBACK.toUpperCase() }],
    ['a redirect URI with a query', { redirect_uri: `${CALLBACK}?next=https://evil.example` }],
    ['an unknown client', { client_id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1f20' }],
    ['an invalid client id', { client_id: "' or 1=1" }],
  ])('does not redirect the browser: %s', async (_, wrong) => {
    const { url: asked } = await errand(app);
    for (const [name, value] of Object.entries(wrong)) asked.searchParams.set(name, value);
    const page = await browser.open(asked);
    expect([page.status, page.location]).toEqual([400, null]);
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(page.text).not.toContain('evil.example');
  });

  it('does not redirect the browser for two redirect URIs', async () => {
    const { url: asked } = await errand(app);
    asked.searchParams.append('redirect_uri', 'https://evil.example/callback');
    expect((await browser.open(asked)).status).toBe(400);
  });

  it.each<[string, string, Record<string, string | null>]>([
    ['PKCE with the method plain', 'invalid_request', { code_challenge_method: 'plain' }],
    ['PKCE without a method', 'invalid_request', { code_challenge_method: null }],
    ['no PKCE', 'invalid_request', { code_challenge: null, code_challenge_method: null }],
    ['a short challenge', 'invalid_request', { code_challenge: 'short' }],
    ['the implicit flow', 'unsupported_response_type', { response_type: 'token' }],
    ['a fragment', 'invalid_request', { response_mode: 'fragment' }],
    ['a signed request', 'request_not_supported', { request: 'eyJhbGciOiJub25lIn0' }],
    ['no scope', 'invalid_scope', { scope: null }],
    ['an unknown scope', 'invalid_scope', { scope: 'deals:read openid' }],
    ['a scope not allowed for the client', 'invalid_scope', { scope: 'deals:read invoices:read' }],
    ['everything', 'invalid_scope', { scope: '*' }],
  ])('is reported to the client: %s', async (_, error, wrong) => {
    const { url: asked, state } = await errand(app);
    for (const [name, value] of Object.entries(wrong))
      if (value === null) asked.searchParams.delete(name);
      else asked.searchParams.set(name, value);
    const { status, location } = await browser.open(asked);
    expect(status).toBe(303);
    expect(location!.href.startsWith(CALLBACK)).toBe(true);
    expect(Object.fromEntries(location!.searchParams)).toMatchObject({ error, state, iss: url });
    expect(location!.searchParams.has('code')).toBe(false);
  });

  it('is not granted permissions that the person lacks', async () => {
    const { id } = await door.platform.member(tenant, 'Vi', ['*'], { roles: ['viewer'] });
    const viewer = await signedInBrowser(
      door,
      { sub: `s-${id}`, email: `${id}@example.test`, email_verified: true },
      tenant.slug,
    );
    const asked = await errand(app, { scope: 'deals:*' });
    const page = await viewer.open(asked.url);
    expect(page.text).toMatch(/Read deals[\s\S]*not granted[\s\S]*Create and edit deals/);
    const back = await press(door, viewer, page, { decision: 'allow' });
    expect(await redeem(app, back.location!, asked)).toMatchObject({ scope: 'deals:read' });
    const beyond = await errand(app, { scope: 'deals:write' });
    const nothing = await viewer.open(beyond.url);
    expect(nothing.text).not.toContain('value="allow"');
    const { location } = await press(door, viewer, nothing, { decision: 'allow' });
    expect(location!.searchParams.get('error')).toBe('access_denied');
  });
});
