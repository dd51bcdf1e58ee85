import * as oauth from 'openid-client';
import { generateClientSecret } from '#libs/auth/api-key.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Browser, type Page } from '../../harness/browser.js';
import type { Claims } from '../../harness/issuer.js';
import type { TestPlatform } from '../../harness/platform.js';
import { type Door, fromSomewhere } from './door.js';

export const CALLBACK = 'http://127.0.0.1:9/callback';

/** A registered partner that uses openid-client. */
export interface Partner {
  id: string;
  secret: string | null;
  config: oauth.Configuration;
}

/** State that a partner keeps during an authorization request. */
export interface Errand {
  url: URL;
  verifier: string;
  state: string;
}

/** Registers a partner in the same way as the command line. */
export async function partner(
  door: Door,
  { scopes = ['deals:*', 'accounts:*'], confidential = true, name = 'Ledger Sync' } = {},
): Promise<Partner> {
  const id = uuidv7();
  const secret = confidential ? generateClientSecret() : null;
  await door.sql(
    `insert into directory.oauth_clients (id, name, redirect_uris, allowed_scopes, secret_hash, created_at)
     values ($1, $2, $3, $4, $5, now())`,
    [id, name, [CALLBACK, 'https://partner.example/other'], scopes, secret?.hash ?? null],
  );
  const auth = secret ? oauth.ClientSecretBasic(secret.text) : oauth.None();
  const from = (url: string, options: oauth.CustomFetchOptions) =>
    fetch(url, { ...options, headers: { ...options.headers, ...fromSomewhere() } });
  const config = await oauth.discovery(new URL(door.platform.url), id, undefined, auth, {
    algorithm: 'oauth2',
    execute: [oauth.allowInsecureRequests],
    [oauth.customFetch]: from,
  });
  config[oauth.customFetch] = from;
  return { id, secret: secret?.text ?? null, config };
}

/** The URL of an authorization request. */
export async function errand(
  { config }: Partner,
  { scope = 'deals:read', ...more }: Record<string, string> = {},
): Promise<Errand> {
  const verifier = oauth.randomPKCECodeVerifier();
  const state = oauth.randomState();
  const url = oauth.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK,
    scope,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...more,
  });
  return { url, verifier, state };
}

/** A browser with a signed-in person. */
export async function signedInBrowser(door: Door, claims: Claims, tenant?: string): Promise<Browser> {
  const browser = new Browser(fromSomewhere());
  const query = new URLSearchParams(tenant === undefined ? {} : { tenant });
  await comeBack(door, browser, await browser.open(`${door.platform.url}/api/auth/login?${query.toString()}`), claims);
  return browser;
}

/** Completes the sign-in after the redirect to the provider. */
export async function comeBack(door: Door, browser: Browser, { location }: Page, claims: Claims): Promise<Page> {
  const asked = location!.searchParams;
  const token = await door.issuer.token({ nonce: asked.get('nonce')!, ...claims });
  const answer = new URLSearchParams({
    code: door.issuer.code(token, asked.get('code_challenge')!),
    state: asked.get('state')!,
    iss: door.issuer.url,
  });
  return browser.open(`${door.platform.url}/api/auth/callback?${answer.toString()}`);
}

/** Headers of a form sent by our own page. */
export const paperOf = (page: Page): string => /name="request" value="([^"]+)"/.exec(page.text)![1]!;

/** Submits the page with a decision. */
export function press(
  door: Door,
  browser: Browser,
  page: Page,
  form: Record<string, string>,
  headers: Record<string, string> = { origin: door.platform.url },
): Promise<Page> {
  return browser.open(`${door.platform.url}/api/auth/oauth/authorize`, {
    method: 'POST',
    body: new URLSearchParams({ request: paperOf(page), ...form }),
    headers,
  });
}

/** The redirect to the partner with a code. */
export async function allowed(door: Door, browser: Browser, { url }: Errand): Promise<URL> {
  const page = await browser.open(url);
  return (await press(door, browser, page, { decision: 'allow' })).location!;
}

/** Exchanges the code in a redirect for tokens. */
export function redeem({ config }: Partner, back: URL, { verifier, state }: Errand) {
  return oauth.authorizationCodeGrant(config, back, { pkceCodeVerifier: verifier, expectedState: state });
}

/** The complete flow: consent, redirect and exchange. */
export async function delegate(door: Door, from: Partner, browser: Browser, more: Record<string, string> = {}) {
  const asked = await errand(from, more);
  return redeem(from, await allowed(door, browser, asked), asked);
}

/** The responses of several processes to a token. */
export async function statusesOf(platforms: readonly TestPlatform[], token: string): Promise<number[]> {
  const headers = { ...fromSomewhere(), authorization: `Bearer ${token}` };
  const answers = await Promise.all(platforms.map((each) => each.anonymous().get('/api/v1/sales/deals', headers)));
  return answers.map(({ status }) => status);
}

/** An OAuth error response. */
export const refusedWith = (error: string) => expect.objectContaining({ error }) as unknown;
