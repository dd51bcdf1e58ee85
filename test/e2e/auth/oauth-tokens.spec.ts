import * as oauth from 'openid-client';
import { DAY_MS } from '#libs/kernel/durations.js';
import { type Browser } from '../../harness/browser.js';
import { AUDIENCE, type Claims } from '../../harness/issuer.js';
import { startPlatform, type TestTenant } from '../../harness/platform.js';
import { type Door, fromSomewhere, openDoor } from './door.js';
import {
  allowed,
  CALLBACK,
  delegate,
  errand,
  type Partner,
  partner,
  redeem,
  refusedWith,
  signedInBrowser,
  statusesOf,
} from './partner.js';

type Json = Record<string, unknown>;

/** Validity and reuse of codes and refresh tokens. */
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
let browser: Browser;
let app: Partner;
beforeEach(async () => {
  tenant = await door.platform.tenant();
  ({ claims } = await door.person(tenant));
  browser = await signedInBrowser(door, claims, tenant.slug);
  app = await partner(door);
});

describe('a code', () => {
  const form = (back: URL, verifier: string, more: Record<string, string> = {}) => ({
    grant_type: 'authorization_code',
    code: back.searchParams.get('code')!,
    redirect_uri: CALLBACK,
    code_verifier: verifier,
    ...more,
  });
  const token = async (from: Partner, body: Record<string, string>) => {
    const basic = Buffer.from(`${from.id}:${from.secret}`).toString('base64');
    const answer = await fetch(`${url}/api/auth/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams(body),
      headers: { ...fromSomewhere(), authorization: `Basic ${basic}` },
    });
    return { status: answer.status, body: (await answer.json()) as Json };
  };

  it('works only for its client, with the verifier and redirect URI, before it expires', async () => {
    const asked = await errand(app);
    const back = await allowed(door, browser, asked);
    const other = await partner(door);
    const refused = { status: 400, body: { error: 'invalid_grant', error_description: expect.any(String) as unknown } };
    expect(await token(other, form(back, asked.verifier))).toEqual(refused);
    expect(await token(app, form(back, oauth.randomPKCECodeVerifier()))).toEqual(refused);
    expect(await token(app, form(back, 'short'))).toEqual(refused);
    expect(await token(app, form(back, asked.verifier, { redirect_uri: 'https://partner.example/other' }))).toEqual(
      refused,
    );
    expect(await token(app, { grant_type: 'authorization_code', code: back.searchParams.get('code')! })).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    });
    expect((await token(app, form(back, asked.verifier))).status).toBe(200);
    const slow = await errand(app);
    const late = await allowed(door, browser, slow);
    clock.advance(61_000);
    expect(await token(app, form(late, slow.verifier))).toEqual(refused);
  });

  it('revokes the grant when it is used twice', async () => {
    const asked = await errand(app);
    const back = await allowed(door, browser, asked);
    const tokens = await redeem(app, back, asked);
    expect(await statuses(tokens.access_token)).toEqual([200, 200]);
    await expect(redeem(app, back, asked)).rejects.toEqual(refusedWith('invalid_grant'));
    expect(await statuses(tokens.access_token)).toEqual([401, 401]);
    await expect(oauth.refreshTokenGrant(app.config, tokens.refresh_token!)).rejects.toEqual(
      refusedWith('invalid_grant'),
    );
  });

  it('leaves no valid tokens after concurrent use', async () => {
    const asked = await errand(app);
    const back = await allowed(door, browser, asked);
    const answers = await Promise.all([1, 2, 3].map(() => token(app, form(back, asked.verifier))));
    const good = answers.filter(({ status }) => status === 200);
    expect(good).toHaveLength(1);
    expect(await statuses(String(good[0]!.body['access_token']))).toEqual([401, 401]);
  });

  it('requires client authentication and a form without repeated fields', async () => {
    const answer = async (body: string, headers: Record<string, string> = {}) => {
      const type = 'application/x-www-form-urlencoded';
      const init = { method: 'POST', body, headers: { ...fromSomewhere(), 'content-type': type, ...headers } };
      const {
        status,
        headers: told,
        ...rest
      } = await fetch(`${url}/api/auth/oauth/token`, init).then(async (each) => ({
        status: each.status,
        headers: each.headers,
        body: (await each.json()) as Json,
      }));
      return { status, error: rest.body['error'], challenge: told.get('www-authenticate') };
    };
    const invalid = { status: 401, error: 'invalid_client', challenge: expect.stringMatching(/^Basic /) as unknown };
    expect(await answer('grant_type=refresh_token&refresh_token=x')).toEqual(invalid);
    expect(await answer(`grant_type=refresh_token&refresh_token=x&client_id=${app.id}`)).toEqual(invalid);
    expect(await answer(`grant_type=refresh_token&client_id=${app.id}&client_secret=wrong`)).toEqual(invalid);
    const open = await partner(door, { confidential: false });
    expect(await answer(`grant_type=refresh_token&client_id=${open.id}&client_secret=${app.secret}`)).toEqual(invalid);
    const known = `client_id=${app.id}&client_secret=${app.secret}`;
    expect(await answer(`grant_type=password&${known}`)).toMatchObject({
      status: 400,
      error: 'unsupported_grant_type',
    });
    expect(await answer(known)).toMatchObject({ status: 400, error: 'invalid_request' });
    expect(await answer(`${known}&client_id=${app.id}`)).toMatchObject({ status: 400, error: 'invalid_request' });
    expect(await answer('{}', { 'content-type': 'application/json' })).toMatchObject({
      status: 415,
      error: 'invalid_request',
    });
    expect(await answer(`grant_type=refresh_token&refresh_token=x&${known}`)).toMatchObject({ error: 'invalid_grant' });
  });
});

describe('the endpoints of the protocol', () => {
  const post = (endpoint: string, body: Record<string, string>, headers: Record<string, string>) =>
    fetch(`${url}/api/auth/oauth/${endpoint}`, { method: 'POST', body: new URLSearchParams(body), headers });

  it.each(['token', 'revoke', 'introspect'])('are limited by address for unknown clients: %s', async (endpoint) => {
    const headers = fromSomewhere();
    const wrong = { client_id: app.id, client_secret: 'guessed', token: 'x', grant_type: 'refresh_token' };
    const statuses = [];
    for (let tries = 0; tries < 22; tries++) statuses.push((await post(endpoint, wrong, headers)).status);
    expect(statuses).toEqual([...Array<number>(20).fill(401), 429, 429]);
  });

  it('are limited by client across addresses', async () => {
    const known = { client_id: app.id, client_secret: app.secret!, token: 'x' };
    const answers = [];
    for (let tries = 0; tries < 12; tries++)
      answers.push(
        ...(await Promise.all(Array.from({ length: 51 }, () => post('introspect', known, fromSomewhere())))),
      );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(12);
    expect(Number(refused[0]!.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused[0]!.json()).toMatchObject({ error: 'temporarily_unavailable' });
    const other = await partner(door);
    const theirs = { client_id: other.id, client_secret: other.secret!, token: 'x' };
    expect(await (await post('introspect', theirs, fromSomewhere())).json()).toEqual({ active: false });
  });

  it('are limited by address for clients without a secret', async () => {
    const { id } = await partner(door, { confidential: false });
    const headers = fromSomewhere();
    const statuses = [];
    for (let tries = 0; tries < 61; tries++)
      statuses.push((await post('introspect', { client_id: id, token: 'x' }, headers)).status);
    expect(statuses).toEqual([...Array<number>(60).fill(200), 429]);
  });
});

describe('a refresh token', () => {
  it('revokes the grant when it is used twice, and the audit log contains the reason', async () => {
    const first = await delegate(door, app, browser);
    const next = await oauth.refreshTokenGrant(app.config, first.refresh_token!);
    expect(await statuses(next.access_token)).toEqual([200, 200]);
    await expect(oauth.refreshTokenGrant(app.config, first.refresh_token!)).rejects.toEqual(
      refusedWith('invalid_grant'),
    );
    expect(await statuses(next.access_token)).toEqual([401, 401]);
    await expect(oauth.refreshTokenGrant(app.config, next.refresh_token!)).rejects.toEqual(
      refusedWith('invalid_grant'),
    );
    const told = await door.sql(
      `select action, actor_type as actor, details::json->>'reason' as reason from data.audit_log
       where tenant_id = $1 and target_type = 'auth.grant' order by id`,
      [tenant.id],
    );
    expect(told).toEqual([
      { action: 'auth.grant.created', actor: 'member', reason: null },
      { action: 'auth.grant.revoked', actor: 'system', reason: 'refresh_token_reused' },
    ]);
    const events = await door.sql(`select type from data.events where tenant_id = $1 and type like 'auth.grant.%'`, [
      tenant.id,
    ]);
    expect(events.map(({ type }) => type).sort()).toEqual(['auth.grant.created', 'auth.grant.revoked']);
  });

  it('expires 30 days after it was issued, an access token after 10 minutes', async () => {
    const first = await delegate(door, app, browser);
    clock.advance(601_000);
    expect((await door.as(first.access_token).get(DEALS)).status).toBe(401);
    clock.advance(29 * DAY_MS);
    const next = await oauth.refreshTokenGrant(app.config, first.refresh_token!);
    expect((await door.as(next.access_token).get(DEALS)).status).toBe(200);
    clock.advance(30 * DAY_MS + 1_000);
    await expect(oauth.refreshTokenGrant(app.config, next.refresh_token!)).rejects.toEqual(
      refusedWith('invalid_grant'),
    );
  });

  it('can request less than the granted scope, and the grant stays as it is', async () => {
    const scope = 'accounts:read deals:read deals:write';
    const first = await delegate(door, app, browser, { scope });
    const narrow = await oauth.refreshTokenGrant(app.config, first.refresh_token!, { scope: 'deals:read' });
    expect(narrow.scope).toBe('deals:read');
    const partner = door.as(narrow.access_token);
    expect((await partner.get(DEALS)).status).toBe(200);
    expect(await partner.get('/api/v1/sales/accounts')).toMatchObject({ status: 403 });
    expect(await oauth.tokenIntrospection(app.config, narrow.access_token)).toMatchObject({ scope: 'deals:read' });
    expect(await oauth.tokenIntrospection(app.config, narrow.refresh_token!)).toMatchObject({ scope });
    const whole = await oauth.refreshTokenGrant(app.config, narrow.refresh_token!);
    expect(whole.scope).toBe(scope);
    expect((await door.as(whole.access_token).get('/api/v1/sales/accounts')).status).toBe(200);
  });

  it('can request a wildcard that the grant covers', async () => {
    const first = await delegate(door, app, browser, { scope: 'deals:* accounts:read' });
    const next = await oauth.refreshTokenGrant(app.config, first.refresh_token!, { scope: 'deals:*' });
    expect(next.scope!.split(' ')).toEqual(expect.arrayContaining(['deals:read', 'deals:write']));
    expect(next.scope).not.toContain('accounts:read');
    for (const scope of ['accounts:*', '*', 'deals:read nothing:read', ' '])
      await expect(oauth.refreshTokenGrant(app.config, next.refresh_token!, { scope })).rejects.toEqual(
        refusedWith('invalid_scope'),
      );
  });

  it('cannot request more than the granted scope', async () => {
    const { refresh_token: token } = await delegate(door, app, browser);
    await expect(oauth.refreshTokenGrant(app.config, token!, { scope: 'deals:write' })).rejects.toEqual(
      refusedWith('invalid_scope'),
    );
    expect(await oauth.refreshTokenGrant(app.config, token!, { scope: 'deals:read' })).toMatchObject({
      scope: 'deals:read',
    });
  });
});
