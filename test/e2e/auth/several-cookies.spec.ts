import { Browser } from '../../harness/browser.js';
import { AUDIENCE, type Claims } from '../../harness/issuer.js';
import type { TestTenant } from '../../harness/platform.js';
import { type Door, fromSomewhere, openDoor } from './door.js';
import { errand, partner } from './partner.js';
import { visitsOf } from './visits.js';

type Json = Record<string, unknown>;

const door: Door = await openDoor({ OIDC_CLIENT_ID: AUDIENCE });
afterAll(() => door.close());

const { url } = door.platform;
const { comeBack, signIn } = visitsOf(door);

let tenant: TestTenant;
let claims: Claims;
let valid: string;
let browser: Browser;
beforeEach(async () => {
  tenant = await door.platform.tenant();
  ({ claims } = await door.person(tenant));
  valid = await tokenOf(tenant);
});

/** The token of a session in a browser, as its cookie holds it. */
async function tokenOf(where: TestTenant): Promise<string> {
  browser = new Browser(fromSomewhere());
  await signIn(browser, claims, { tenant: where.slug });
  return browser.cookie(url, 'session')!;
}

async function ended(): Promise<string> {
  const token = await tokenOf(tenant);
  await door.as(token).post('/api/auth/logout', {});
  return token;
}

const send = async (cookie: string, path = '/api/auth/session', init: RequestInit = {}) => {
  const headers = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json', ...init.headers };
  return fetch(url + path, { redirect: 'manual', ...init, headers: { ...fromSomewhere(), ...headers, cookie } });
};
const post = (cookie: string, path: string, body: Json = {}) =>
  send(cookie, path, { method: 'POST', body: JSON.stringify(body) });

describe('of several cookies with the name of ours', () => {
  it.each<[string, () => Promise<string> | string]>([
    ['after one of other software', () => `session=other; session=${valid}`],
    ['before one of other software', () => `session=${valid}; session=eyJhIjoxfQ.Zx.abc`],
    ['after an empty one', () => `session=; session=${valid}`],
    ['in quotes', () => `session="${valid}"`],
    ['among other cookies', () => `a=1; session=x; sessions=y; session=${valid}; b=2`],
    ['after one of an ended session', async () => `session=${await ended()}; session=${valid}`],
    ['after three that are no credentials', () => `session=a; session=b; session=c; session=${valid}`],
  ])('the valid one counts: %s', async (_where, cookie) => {
    const answer = await send(await cookie());
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ tenant: { slug: tenant.slug } });
  });

  it('at most five are tried, and one failure is counted', async () => {
    const others = (count: number) => Array.from({ length: count }, (_, i) => `session=other-${i}; `).join('');
    expect((await send(`${others(4)}session=${valid}`)).status).toBe(200);
    expect((await send(`${others(5)}session=${valid}`)).status).toBe(401);
    const from = fromSomewhere();
    const statuses: number[] = [];
    for (let i = 0; i < 21; i++) statuses.push((await send(others(5), '/api/auth/session', { headers: from })).status);
    expect(statuses).toEqual([...Array<number>(20).fill(401), 429]);
  });

  it('the valid one is ended by signing out', async () => {
    const answer = await post(`session=other; session=${valid}`, '/api/auth/logout');
    expect(answer.status).toBe(200);
    expect(answer.headers.getSetCookie().some((each) => /^session=;.*Max-Age=0/.test(each))).toBe(true);
    expect((await door.as(valid).get('/api/auth/session')).status).toBe(401);
  });

  it('the valid one is taken to another tenant', async () => {
    const other = await door.platform.tenant();
    await door.sql(
      `insert into data.memberships (tenant_id, id, email, name, status, created_at)
       values ($1, gen_random_uuid(), $2, 'Ana', 'active', now())`,
      [other.id, claims.email],
    );
    const answer = await post(`session=other; session=${valid}`, '/api/auth/switch-tenant', { tenantSlug: other.slug });
    expect(answer.status).toBe(200);
    const [moved] = answer.headers.getSetCookie().filter((each) => each.startsWith('session=top_sess'));
    expect(await (await send(`session=other; ${moved!.split(';')[0]}`)).json()).toMatchObject({
      tenant: { slug: other.slug },
    });
  });

  it('the valid one is renewed by signing in again', async () => {
    const foreign = new Browser({ ...fromSomewhere(), 'sec-fetch-site': 'same-origin' });
    const cookie = `session=other; session=${await ended()}; session=${valid}`;
    const place = ((await (await post(cookie, '/api/auth/step-up')).json()) as Json)['url'];
    const begun = await foreign.open(String(place), { headers: { cookie } });
    const attempt = begun.headers.getSetCookie().map((each) => each.split(';')[0]);
    const asked = begun.location!.searchParams;
    const factors = { amr: ['pwd', 'otp'], auth_time: Math.floor(door.platform.clock.nowMs() / 1_000) };
    const withAll = new Browser({ ...fromSomewhere(), cookie: [cookie, ...attempt].join('; ') });
    expect((await comeBack(withAll, asked, claims, { claims: factors })).status).toBe(303);
  });

  it('the valid one is asked for consent', async () => {
    const { url: asked } = await errand(await partner(door));
    const page = await send(`session=other; session=${valid}`, asked.pathname + asked.search, {
      headers: { accept: 'text/html' },
    });
    expect(page.status).toBe(200);
    expect(await page.text()).toContain(tenant.slug);
  });
});
