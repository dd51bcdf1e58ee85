import { Browser, type Page } from '../../harness/browser.js';
import { AUDIENCE } from '../../harness/issuer.js';
import type { TestTenant } from '../../harness/platform.js';
import { fromSomewhere } from '../auth/door.js';
import { visitsOf } from '../auth/visits.js';
import { type Hall, openHall } from './hall.js';

type Json = Record<string, unknown>;

/** Invitation links opened in a browser. */
const hall: Hall = await openHall({ OIDC_CLIENT_ID: AUDIENCE });
afterAll(() => hall.close());

const { url } = hall.platform;
const { comeBack } = visitsOf(hall);
const ours = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' };
const pathOf = (token: string) => `${url}/api/invitations/${token}`;
const claimsOf = (email: string): Json => ({ sub: `s-${email}`, email, email_verified: true, name: 'Bo <b>Berg</b>' });
const post = (browser: Browser, path: string, headers: Record<string, string> = ours) =>
  browser.open(path, { method: 'POST', headers });
const linkOn = ({ text }: Page, path: string) =>
  new URL(/href="(\.\.\/auth\/login[^"]*)"/.exec(text)![1]!.replaceAll('&amp;', '&'), path);

let tenant: TestTenant;
let browser: Browser;
beforeEach(async () => {
  tenant = await hall.platform.tenant();
  browser = new Browser(fromSomewhere());
});

/** Follows the link of an invitation up to the page for the signed-in person. */
async function arrive(token: string, email: string): Promise<Page> {
  const page = await browser.open(pathOf(token));
  const asked = (await browser.open(linkOn(page, pathOf(token)))).location!.searchParams;
  const back = await comeBack(browser, asked, claimsOf(email));
  expect(back.location?.href).toBe(pathOf(token));
  return browser.open(back.location!);
}

it('is a page without scripts that shows the offer and links to the sign-in', async () => {
  const { token } = await hall.invited(tenant);
  const page = await browser.open(pathOf(token));
  expect(page.status).toBe(200);
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; .*form-action 'self'; frame-ancestors/,
  );
  expect(page.headers.get('vary')).toMatch(/accept/i);
  expect(page.text).toContain(`Join ${tenant.slug}`);
  expect(page.text).not.toContain('<form');
  expect((await hall.look(token)).body).toMatchObject({ tenantName: tenant.slug });
});

it('lets the invited person accept with one button after signing in', async () => {
  const { token, email } = await hall.invited(tenant);
  const page = await arrive(token, email);
  expect(page.text).toContain('<button>Accept</button>');
  expect(page.text).toContain(email);
  const before = browser.cookie(url, 'session');
  const joined = await post(browser, `${pathOf(token)}/accept`);
  expect(joined).toMatchObject({ status: 200 });
  expect(joined.text).toContain(`You have joined ${tenant.slug}`);
  expect(joined.text).not.toContain('top_sess_');
  expect(browser.cookie(url, 'session')).not.toBe(before);
  const who = await browser.open(`${url}/api/auth/session`);
  expect(JSON.parse(who.text)).toMatchObject({ tenant: { slug: tenant.slug }, roles: [{ key: 'member' }] });
  hall.platform.clock.advance(61_000);
  const again = await post(browser, `${pathOf(token)}/accept`);
  expect([again.status, again.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
});

it('shows the same page after a double click on the button, and another person nothing', async () => {
  const { token, email } = await hall.invited(tenant);
  await arrive(token, email);
  const twice = await Promise.all([1, 2].map(() => post(browser, `${pathOf(token)}/accept`)));
  const late = await post(browser, `${pathOf(token)}/accept`);
  for (const { status, text } of [...twice, late]) {
    expect(status).toBe(200);
    expect(text).toContain(`You have joined ${tenant.slug}`);
  }
  expect(JSON.parse((await browser.open(`${url}/api/auth/session`)).text)).toMatchObject({
    tenant: { slug: tenant.slug },
  });
  const members = await hall.sql(`select id from data.memberships where tenant_id = $1 and email = $2`, [
    tenant.id,
    email,
  ]);
  expect(members).toHaveLength(1);
  browser = new Browser(fromSomewhere());
  await arrive((await hall.invited(tenant)).token, 'eve@elsewhere.example');
  expect((await post(browser, `${pathOf(token)}/accept`)).status).toBe(404);
});

it('cannot be accepted by another person or from another site', async () => {
  const { token, email, invitation } = await hall.invited(tenant);
  await arrive(token, 'eve@elsewhere.example');
  const mistaken = await post(browser, `${pathOf(token)}/accept`);
  expect([mistaken.status, mistaken.headers.get('content-type')]).toEqual([403, 'text/html; charset=utf-8']);
  expect(mistaken.text).toContain('auth/login?fresh=true');
  expect((await browser.open(pathOf(token))).text).toMatch(/auth\/login\?returnTo=[^"]*&amp;fresh=true/);
  expect(mistaken.text).toContain('email_mismatch');
  browser = new Browser(fromSomewhere());
  await arrive(token, email);
  const foreign = { ...ours, 'sec-fetch-site': 'cross-site' };
  expect((await post(browser, `${pathOf(token)}/accept`, foreign)).text).toContain('csrf_refused');
  expect((await post(new Browser(fromSomewhere()), `${pathOf(token)}/accept`)).status).toBe(401);
  expect(await hall.statusOf(invitation.id)).toBe('pending');
});

it('shows that the invitation does not exist, with a link to sign in', async () => {
  const page = await browser.open(pathOf('top_invite_nothing'));
  expect(page.status).toBe(404);
  expect(page.text).toContain('href="../auth/login?fresh=true"');
});
