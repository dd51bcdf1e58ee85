import { Browser, type Page } from '../../harness/browser.js';
import { AUDIENCE, type Claims } from '../../harness/issuer.js';
import { attemptName } from '#src/areas/auth/sign-in-cookies.js';
import type { TestTenant } from '../../harness/platform.js';
import { type Door, fromSomewhere, openDoor } from './door.js';
import { type Hostility, visitsOf } from './visits.js';

type Json = Record<string, unknown>;

const CONSOLE = 'https://console.example.com';

const door: Door = await openDoor({ OIDC_CLIENT_ID: AUDIENCE, CORS_ORIGINS: CONSOLE });
afterAll(() => door.close());

const { url } = door.platform;
const browserOf = () => new Browser(fromSomewhere());
const json = (page: Page) => JSON.parse(page.text) as Json;

const { leave, comeBack, signIn } = visitsOf(door);
const who = async (browser: Browser) => json(await browser.open(`${url}/api/auth/session`));
const ours = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
const post = (browser: Browser, path: string, body: unknown = {}, headers: Record<string, string> = ours) =>
  browser.open(url + path, { method: 'POST', body: JSON.stringify(body), headers });

let tenant: TestTenant;
let claims: Claims;
beforeEach(async () => {
  tenant = await door.platform.tenant();
  ({ claims } = await door.person(tenant));
});

describe('signing in by browser', () => {
  it('asks the provider with PKCE, state and nonce, and gives a cookie that no script reads', async () => {
    const browser = browserOf();
    const asked = await leave(browser, { tenant: tenant.slug, returnTo: '/console/deals?view=1' });
    expect(Object.fromEntries(asked)).toMatchObject({
      response_type: 'code',
      client_id: AUDIENCE,
      redirect_uri: `${url}/api/auth/callback`,
      code_challenge_method: 'S256',
      scope: 'openid email profile',
    });
    const page = await comeBack(browser, asked, claims);
    expect(page).toMatchObject({ status: 303, location: { href: `${url}/console/deals?view=1` } });
    const cookie = page.headers.getSetCookie().find((each) => each.startsWith('session='))!;
    expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Lax$/i);
    expect(cookie).toMatch(/Max-Age=4\d{4};/);
    expect(await who(browser)).toMatchObject({
      kind: 'session',
      tenant: { slug: tenant.slug },
      roles: [{ key: 'owner' }],
    });
    expect(browser.cookie(url, attemptName(asked.get('state')!))).toBeNull();
  });

  it.each([
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/%09/evil.example/../..//evil.example',
    '/..//evil.example',
    '/\tevil',
    'javascript:alert(1)',
    'console',
  ])('leads to no place but ours: %s', async (returnTo) => {
    const { location } = await signIn(browserOf(), claims, { tenant: tenant.slug, returnTo });
    expect(location!.origin).toBe(url);
    expect(location!.href.slice(url.length)).not.toMatch(/^\/[/\\]/);
  });

  it('goes to the only tenant of a person, and with several to none', async () => {
    const alone = browserOf();
    await signIn(alone, claims);
    expect(await who(alone)).toMatchObject({ tenant: { slug: tenant.slug }, tenants: [{ slug: tenant.slug }] });
    const other = await door.platform.tenant();
    await door.sql(
      `insert into data.memberships (tenant_id, id, email, name, status, created_at)
       values ($1, gen_random_uuid(), $2, 'Ana', 'active', now())`,
      [other.id, claims.email],
    );
    const torn = browserOf();
    await signIn(torn, claims);
    const caller = await who(torn);
    expect(caller).toMatchObject({ kind: 'session', tenant: null, membership: null, permissions: [] });
    expect((caller['tenants'] as Json[]).map(({ slug }) => slug)).toEqual([tenant.slug, other.slug].sort());
    expect((await torn.open(`${url}/api/invitations/mine`)).status).toBe(200);
    expect((await torn.open(`${url}/api/auth/sessions`)).status).toBe(200);
    const refused = await torn.open(`${url}/api/v1/sales/deals`);
    expect([refused.status, json(refused)['code']]).toEqual([403, 'tenant_required']);
    const before = torn.cookie(url, 'session');
    expect(json(await post(torn, '/api/auth/switch-tenant', { tenantSlug: other.slug }))).toMatchObject({
      token: null,
      tenant: { slug: other.slug },
    });
    expect(await who(torn)).toMatchObject({ tenant: { slug: other.slug } });
    torn.setCookie(url, 'session', before!);
    expect((await torn.open(`${url}/api/auth/session`)).status).toBe(401);
  });

  it('lets nobody in who was neither invited nor provisioned', async () => {
    const browser = browserOf();
    const page = await signIn(
      browser,
      { sub: 'stranger', email: 'stranger@example.test', email_verified: true },
      { tenant: tenant.slug },
    );
    expect(page.status).toBe(401);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(page.text).not.toContain('<script');
    expect(browser.cookie(url, 'session')).toBeNull();
    const api = new Browser({ ...fromSomewhere(), accept: 'application/json' });
    const answer = await api.open(`${url}/api/auth/callback?state=x&code=y`);
    expect(json(answer)).toMatchObject({ code: 'sign_in_failed', status: 400 });
  });
});

describe('a hostile provider or page', () => {
  const refused = async (hostile: Hostility, status: number) => {
    const browser = browserOf();
    const page = await comeBack(browser, await leave(browser, { tenant: tenant.slug }), claims, hostile);
    expect([page.status, browser.cookie(url, 'session')]).toEqual([status, null]);
  };

  it.each<[string, Hostility, number]>([
    ['another nonce', { claims: { nonce: 'another' } }, 401],
    ['no nonce', { claims: { nonce: undefined as never } }, 401],
    ['another audience', { claims: { aud: 'other-client' } }, 401],
    ['another issuer', { claims: { iss: 'https://evil.example' } }, 401],
    ['an expired token', { claims: { iat: 1_000, exp: 2_000 } }, 401],
    ['a code that nobody gave', { code: 'made-up' }, 401],
    ['a forged state', { state: 'forged' }, 400],
    ['a mixed-up issuer', { iss: 'https://evil.example' }, 401],
    ['no issuer where it is promised', { iss: null }, 401],
  ])('gets nothing by %s', async (_, hostile, status) => {
    await refused(hostile, status);
  });

  it('gets nothing by a token that is not signed, or not by the provider', async () => {
    const browser = browserOf();
    const asked = await leave(browser, { tenant: tenant.slug });
    const nonce = asked.get('nonce')!;
    const good = await door.issuer.token({ ...claims, nonce });
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${good.split('.')[1]}.`;
    expect((await comeBack(browser, asked, claims, { token: none })).status).toBe(401);
    const again = await leave(browser, { tenant: tenant.slug });
    const forged = await door.issuer.forged({ ...claims, nonce: again.get('nonce')! });
    expect((await comeBack(browser, again, claims, { token: forged })).status).toBe(401);
    expect(browser.cookie(url, 'session')).toBeNull();
  });

  it('cannot use an answer twice, in another browser, or too late', async () => {
    const browser = browserOf();
    const asked = await leave(browser, { tenant: tenant.slug });
    const name = attemptName(asked.get('state')!);
    const attempt = browser.cookie(url, name)!;
    expect((await comeBack(new Browser(fromSomewhere()), asked, claims)).status).toBe(400);
    expect((await comeBack(browser, asked, claims)).status).toBe(303);
    browser.setCookie(url, name, attempt);
    expect((await comeBack(browser, asked, claims)).status).toBe(400);
    const late = browserOf();
    const asking = await leave(late, { tenant: tenant.slug });
    door.platform.clock.advance(11 * 60_000);
    expect((await comeBack(late, asking, claims)).status).toBe(400);
  });

  it('keeps a sign-in open after a response of another provider', async () => {
    const browser = browserOf();
    const asked = await leave(browser, { tenant: tenant.slug });
    for (const iss of ['https://evil.example', null])
      expect((await comeBack(browser, asked, claims, { iss })).status).toBe(401);
    expect((await comeBack(browser, asked, claims, { state: 'forged' })).status).toBe(400);
    expect((await comeBack(browser, asked, claims)).status).toBe(303);
  });

  it('fixes no session: who signs in has a new one', async () => {
    const browser = browserOf();
    await signIn(browser, claims, { tenant: tenant.slug });
    const first = browser.cookie(url, 'session');
    await signIn(browser, claims, { tenant: tenant.slug });
    expect(browser.cookie(url, 'session')).not.toBe(first);
    const planted = browserOf();
    planted.setCookie(url, 'session', 'top_sess_planted');
    await signIn(planted, claims, { tenant: tenant.slug });
    expect(planted.cookie(url, 'session')).toMatch(/^top_sess_\w{12}_/);
  });

  it('has no browser write for it', async () => {
    const browser = browserOf();
    await signIn(browser, claims, { tenant: tenant.slug });
    const accounts = '/api/v1/sales/accounts';
    const name = { name: 'Acme' };
    const type = { 'content-type': 'application/json' };
    const foreignHeaders: Record<string, string>[] = [
      {},
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site', origin: 'null' },
      { 'sec-fetch-site': 'same-site' },
    ];
    for (const foreign of foreignHeaders) {
      const page = await post(browser, accounts, name, { ...type, ...foreign });
      expect([page.status, json(page)['code']]).toEqual([403, 'csrf_refused']);
    }
    const ownHeaders: Record<string, string>[] = [
      { origin: url },
      { 'sec-fetch-site': 'same-origin' },
      { origin: CONSOLE },
    ];
    for (const own of ownHeaders) expect((await post(browser, accounts, name, { ...type, ...own })).status).toBe(201);
    expect((await browser.open(url + accounts)).status).toBe(200);
  });

  it('is told by CORS that it is none of ours', async () => {
    const preflight = (origin: string) =>
      browserOf().open(`${url}/api/v1/sales/deals`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST' },
      });
    const allowed = await preflight(CONSOLE);
    expect(allowed.headers.get('access-control-allow-origin')).toBe(CONSOLE);
    expect(allowed.headers.get('access-control-allow-credentials')).toBe('true');
    expect((await preflight('https://evil.example')).headers.get('access-control-allow-origin')).not.toBe(
      'https://evil.example',
    );
  });
});

describe('several sign-ins in one browser', () => {
  it('each redirect to their own target', async () => {
    const browser = browserOf();
    const first = await leave(browser, { tenant: tenant.slug, returnTo: '/console/one' });
    const second = await leave(browser, { tenant: tenant.slug, returnTo: '/console/two' });
    expect((await comeBack(browser, first, claims)).location?.pathname).toBe('/console/one');
    expect((await comeBack(browser, second, claims)).location?.pathname).toBe('/console/two');
  });

  it('are limited to five; the oldest is dropped', async () => {
    const browser = browserOf();
    const asked: URLSearchParams[] = [];
    for (let tries = 0; tries < 7; tries++) {
      asked.push(await leave(browser, { tenant: tenant.slug }));
      door.platform.clock.advance(1_000);
    }
    const kept = asked.filter((each) => browser.cookie(url, attemptName(each.get('state')!)) !== null);
    expect(kept).toEqual(asked.slice(2));
    expect((await comeBack(browser, asked[0]!, claims)).status).toBe(400);
    expect((await comeBack(browser, asked[2]!, claims)).status).toBe(303);
  });
});

describe('the console path', () => {
  it.each(['/console', '/console/deals?view=1'])('%s shows whether somebody is signed in', async (path) => {
    const browser = browserOf();
    const before = await browser.open(url + path);
    expect(before).toMatchObject({ status: 200 });
    expect(before.headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
    const login = /href="([^"]*)"/.exec(before.text)![1]!.replaceAll('&amp;', '&');
    const asked = (await browser.open(login)).location!.searchParams;
    const back = await comeBack(browser, asked, { ...claims, name: '<b>Ana</b>' });
    expect(back.location?.href).toBe(url + path);
    const after = await browser.open(back.location!);
    expect(after.text).toContain('You are signed in');
    expect(after.text).toContain(`Tenant: ${tenant.slug}.`);
    expect(after.text).not.toContain('<b>');
    const links = [...after.text.matchAll(/href="([^"]*)"/g)].map(([, link]) => link!);
    expect(links.length).toBeGreaterThan(3);
    for (const link of links) expect([link, (await browser.open(link)).status]).toEqual([link, 200]);
    await post(browser, '/api/auth/logout');
    expect((await browser.open(url + path)).text).toContain('You are not signed in');
  });

  it('recognizes a session without a tenant, and one that is no longer valid', async () => {
    const browser = browserOf();
    await signIn(browser, { sub: 'nobody-here', email: 'nobody@example.com', email_verified: true });
    expect((await browser.open(`${url}/console`)).text).toContain('No tenant selected');
    browser.setCookie(url, 'session', 'top_sess_planted');
    expect((await browser.open(`${url}/console`)).text).toContain('You are not signed in');
  });
});

describe('the session of a browser', () => {
  it('is not looked at beside a credential in a header', async () => {
    const browser = browserOf();
    await signIn(browser, claims, { tenant: tenant.slug });
    const key = await browser.open(`${url}/api/auth/session`, { headers: { 'x-api-key': tenant.apiKey } });
    expect(json(key)).toMatchObject({ kind: 'api_key', apiKey: { name: 'test', scopes: ['*'] } });
    const bad = await browser.open(`${url}/api/auth/session`, { headers: { authorization: 'Bearer nothing' } });
    expect(bad.status).toBe(401);
  });

  it('is refused alike by a tenant that the person is not in and by none, and says what to check', async () => {
    const token = () => door.issuer.token({ ...claims, sub: 'somebody-else', email: 'else@example.com' });
    const [foreign, none] = [
      await door.signIn(tenant, await token()),
      await door.signIn({ slug: 'no-such' }, await token()),
    ];
    expect([foreign.status, none.status]).toEqual([401, 401]);
    expect(foreign.body['detail']).toContain('Check which tenant the link names');
    expect(none.body['detail']).toBe(foreign.body['detail']);
  });

  it('goes to another tenant with a session of that one', async () => {
    const other = await door.platform.tenant();
    await door.sql(
      `insert into data.memberships (tenant_id, id, email, name, status, created_at)
       values ($1, gen_random_uuid(), $2, 'Ana', 'active', now())`,
      [other.id, claims.email],
    );
    const { token } = (await door.signIn(tenant, await door.issuer.token({ ...claims }))).body;
    const moved = await door.as(token).post<Json>('/api/auth/switch-tenant', { tenantSlug: other.slug });
    expect(moved).toMatchObject({ status: 200, body: { tenant: { slug: other.slug } } });
    expect(await door.as(String(moved.body['token'])).get('/api/auth/session')).toMatchObject({
      body: { tenant: { slug: other.slug } },
    });
    expect(await door.as(token).get('/api/auth/session')).toMatchObject({ body: { tenant: { slug: tenant.slug } } });
    const foreign = await door.platform.tenant();
    for (const slug of [foreign.slug, 'no-such-tenant'])
      expect(await door.as(token).post('/api/auth/switch-tenant', { tenantSlug: slug })).toMatchObject({ status: 404 });
    const ended = await door.as(token).post<Json>('/api/auth/logout', { everywhere: true });
    expect(ended).toMatchObject({ status: 200, body: { endedSessions: 2 } });
    for (const each of [token, String(moved.body['token'])])
      expect((await door.as(each).get('/api/auth/session')).status).toBe(401);
  });

  it('ends here and, where the provider offers that, there', async () => {
    const browser = browserOf();
    await signIn(browser, claims, { tenant: tenant.slug });
    const token = browser.cookie(url, 'session')!;
    const { providerLogoutUrl } = json(await post(browser, '/api/auth/logout'));
    expect(new URL(String(providerLogoutUrl)).searchParams.get('post_logout_redirect_uri')).toBe(`${url}/console`);
    expect(browser.cookie(url, 'session')).toBeNull();
    expect((await door.as(token).get('/api/auth/session')).status).toBe(401);
  });

  const factors = () => ({ amr: ['pwd', 'otp'], auth_time: Math.floor(door.platform.clock.nowMs() / 1_000) });

  it('has a fresh proof after a step-up, and another token', async () => {
    const browser = browserOf();
    await signIn(browser, claims, { tenant: tenant.slug });
    const before = browser.cookie(url, 'session')!;
    const { session } = (await who(browser)) as { session: Json };
    expect(session['multiFactorAt']).toBeNull();
    const place = String(json(await post(browser, '/api/auth/step-up', { returnTo: '/console/x' }))['url']);
    const asked = (await browser.open(place)).location!.searchParams;
    expect(Object.fromEntries(asked)).toMatchObject({ prompt: 'login', max_age: '0' });
    const page = await comeBack(browser, asked, claims, { claims: factors() });
    expect(page).toMatchObject({ status: 303, location: { pathname: '/console/x' } });
    expect(await who(browser)).toMatchObject({ session: { id: session['id'], multiFactorAt: expect.any(String) } });
    expect(browser.cookie(url, 'session')).not.toBe(before);
    expect((await door.as(before).get('/api/auth/session')).status).toBe(401);
  });

  it('is not renewed by somebody else, in another browser, or by a sign-in of before', async () => {
    const browser = browserOf();
    await signIn(browser, claims, { tenant: tenant.slug });
    const place = async () => String(json(await post(browser, '/api/auth/step-up'))['url']);
    const { claims: others } = await door.person(tenant, 'Bo');
    await signIn(browserOf(), others, { tenant: tenant.slug });
    const tries: [Browser, Claims][] = [
      [browser, { ...others, ...factors() }],
      [browserOf(), { ...claims, ...factors() }],
      [browser, { ...claims, amr: ['pwd', 'otp'], auth_time: Math.floor(door.platform.clock.nowMs() / 1_000) - 600 }],
      [browser, { ...claims, amr: ['pwd', 'otp'] }],
    ];
    for (const [where, proof] of tries) {
      const asked = (await where.open(await place())).location!.searchParams;
      expect((await comeBack(where, asked, proof)).status).toBe(401);
    }
    expect(await who(browser)).toMatchObject({ session: { multiFactorAt: null } });
  });

  it('of an app is renewed in whatever browser the person signs in', async () => {
    const { token } = (await door.signIn(tenant, await door.issuer.token({ ...claims }))).body;
    const place = (await door.as(token).post<Json>('/api/auth/step-up')).body['url'];
    const browser = browserOf();
    const asked = (await browser.open(String(place))).location!.searchParams;
    expect((await comeBack(browser, asked, claims, { claims: factors() })).status).toBe(303);
    expect(browser.cookie(url, 'session')).toBeNull();
    expect(await door.as(token).get('/api/auth/session')).toMatchObject({
      body: { session: { multiFactorAt: expect.any(String) } },
    });
  });
});
