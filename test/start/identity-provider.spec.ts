import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Browser } from '../harness/browser.js';
import { asAdmin } from '../harness/database.js';
import { startPlatform } from '../harness/platform.js';

const SCRIPT = 'scripts/identity-provider.mjs';
const PEOPLE = [
  { email: 'owner@demo.example', name: 'Olivia Owner' },
  { email: 'member@demo.example', name: 'Mia Member' },
];
const dataDir = mkdtempSync(join(tmpdir(), 'provider-'));
const running = new Set<ChildProcess>();

afterAll(() => {
  for (const child of running) child.kill();
  rmSync(dataDir, { recursive: true });
});

async function start(more: NodeJS.ProcessEnv = {}): Promise<{ issuer: string; stop: () => Promise<void> }> {
  const env = { ...process.env, DATA_DIR: dataDir, IDENTITIES: JSON.stringify(PEOPLE), ...more };
  const child = fork(SCRIPT, [], { env, stdio: ['ignore', 'ignore', 'pipe', 'ipc'], execArgv: [] });
  running.add(child);
  const ended = once(child, 'exit').then(([code]) => ({ url: `exit ${String(code)}` }));
  const [message] = await Promise.race([once(child, 'message'), ended.then((end) => [end])]);
  const stop = async () => {
    child.kill();
    await ended;
    running.delete(child);
  };
  return { issuer: (message as { url: string }).url, stop };
}

/** Submits the form of the provider like a browser without scripts. */
async function chooseAndGo(browser: Browser, form: URL, fields: Record<string, string>) {
  const page = await browser.open(form);
  expect(page.text).toContain('Mia Member');
  expect(page.text).not.toContain('<script');
  const sent = await browser.open(form, {
    method: 'POST',
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  return browser.follow(sent.location!, (place) => place.pathname.startsWith('/console'));
}

it('signs people in with and without a second factor, also after a restart', async () => {
  const first = await start();
  const platform = await startPlatform({ env: { OIDC_ISSUER: first.issuer, OIDC_CLIENT_ID: 'platform' } });
  try {
    const { url } = platform;
    const tenant = await platform.tenant();
    const member = await platform.member(tenant, 'Mia Member');
    await asAdmin(
      platform.database,
      `update data.memberships set email = 'member@demo.example', version = version + 1 where id = $1`,
      [member.id],
    );
    const browser = new Browser();
    const who = async () =>
      JSON.parse((await browser.open(`${url}/api/auth/session`)).text) as { session: Record<string, unknown> };
    const login = await browser.follow(`${url}/api/auth/login`);
    await chooseAndGo(browser, login.url, { email: 'member@demo.example' });
    const before = await who();
    expect(before).toMatchObject({
      membership: { id: member.id },
      session: { authMethods: ['pwd'], authTime: expect.any(String), multiFactorAt: null },
    });

    const answer = await browser.open(`${url}/api/auth/step-up`, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin' },
    });
    const asked = await browser.follow((JSON.parse(answer.text) as { url: string }).url);
    await chooseAndGo(browser, asked.url, { email: 'member@demo.example', mfa: 'true' });
    expect(await who()).toMatchObject({
      session: { id: before.session['id'], authMethods: ['mfa', 'otp', 'pwd'], multiFactorAt: expect.any(String) },
    });

    const unknown = new Browser();
    const asking = await unknown.follow(`${url}/api/auth/login?tenant=${tenant.slug}`);
    const send = (fields: Record<string, string>) =>
      unknown.open(asking.url, {
        method: 'POST',
        body: new URLSearchParams(fields).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
    expect(await send({ email: 'nobody' })).toMatchObject({ status: 400 });
    const landed = await unknown.follow(
      (await send({ email: 'owner@demo.example', other: 'nobody@x.example' })).location!,
    );
    expect(landed.status).toBe(401); // the provider accepts them, but they are not members of the tenant

    await first.stop();
    const second = await start();
    expect(second.issuer).toBe(first.issuer);
    const again = new Browser();
    const anew = await again.follow(`${url}/api/auth/login`);
    await chooseAndGo(again, anew.url, { email: 'member@demo.example' });
    expect((await again.open(`${url}/api/auth/session`)).status).toBe(200);

    const stranger = new Browser();
    const strange = await stranger.follow(`${url}/api/auth/login?tenant=${tenant.slug}`);
    const refused = await chooseAndGo(stranger, strange.url, { email: 'owner@demo.example' });
    expect(refused.status).toBe(401);
    await second.stop();
  } finally {
    await platform.close();
  }
});

it('does not run in production', async () => {
  const { issuer } = await start({ NODE_ENV: 'production' });
  expect(issuer).toBe('exit 1');
});
