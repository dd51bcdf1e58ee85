import { RequestAccounts } from '#libs/request-counts/request-accounts.js';
import { generateKey } from '#libs/auth/api-key.js';
import { uuidv7 } from '#libs/kernel/id.js';
import type { Client } from '../../harness/client.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';

const USAGE = '/api/v1/developer/usage';
const ENDPOINTS = '/api/webhooks/endpoints';

interface Usage {
  totals: { reads: number; read: { requests: number } };
  days: { read: { requests: number } }[];
  series: { group: string; reads: number }[];
  byKey: { keyId: string | null; name: string | null; reads: number }[];
  byRoute: { route: string; reads: number }[];
}

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());

async function usageOf(api: Client, query = ''): Promise<Usage> {
  const answer = await api.get<Usage>(USAGE + query);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body;
}

/** The text of a session of a new member. */
async function sessionOf(tenant: TestTenant): Promise<string> {
  const { text, keyId, hash } = generateKey('session');
  const { id } = await platform.member(tenant, 'Ana');
  await asAdmin(
    platform.database,
    `insert into directory.credentials (id, tenant_id, kind, key_id, lineage_id, name, secret_hash, scopes,
       allow_protected, allowed_cidrs, created_at, expires_at, member_id)
     values ($1, $2, 'session', $3, $1, 'test', $4, '{*}', false, '{}', now(), now() + interval '1 year', $5)`,
    [uuidv7(), tenant.id, keyId, hash, id],
  );
  return text;
}

async function repeat(times: number, send: () => Promise<unknown>): Promise<void> {
  for (let i = 0; i < times; i++) await send();
}

it('never includes the request that asks, but those before it', async () => {
  const { api } = await platform.tenant();
  await repeat(3, () => api.get(ENDPOINTS));
  for (const before of [0, 1, 2]) {
    const { totals, days, byKey, byRoute, series } = await usageOf(api);
    expect([totals.reads, totals.read.requests, days.at(-1)!.read.requests]).toEqual(Array(3).fill(3 + before));
    expect([byKey[0]!.reads, series.at(-1)!.reads]).toEqual([3 + before, 3 + before]);
    expect(byRoute.find(({ route }) => route === USAGE)?.reads ?? 0).toBe(before);
    platform.clock.advance(61_000); // the next request begins a new minute
  }
  await platform.app.get(RequestAccounts).flush();
  expect((await usageOf(api)).totals.reads).toBe(3 + 3);
});

it('adds up over keys, with a row for the requests of sessions', async () => {
  const tenant = await platform.tenant();
  const { api } = tenant;
  const text = await sessionOf(tenant);
  const headers = { authorization: `Bearer ${text}`, 'x-tenant-slug': tenant.slug };
  for (let i = 0; i < 2; i++) await platform.anonymous().get(ENDPOINTS, headers);
  await api.get(ENDPOINTS);
  const { totals, byKey } = await usageOf(api);
  expect(byKey).toContainEqual(expect.objectContaining({ keyId: null, name: null, reads: 2 }));
  expect(byKey.reduce((sum, { reads }) => sum + reads, 0)).toBe(totals.reads);
  const { series } = await usageOf(api, '?groupBy=key');
  expect(series).toContainEqual(expect.objectContaining({ group: 'sessions', reads: 2 }));
});
