import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseKey, sameHash } from '#libs/auth/api-key.js';
import { ensureDemo } from '#src/cli/demo.js';
import { asAdmin, createTestDatabase, type TestDatabase } from '../harness/database.js';
import { operatorOf } from './operator.js';

const REPLACED = '; a new API key and a new SCIM token replace the ones of earlier starts';

let database: TestDatabase;
let dataDir: string;
/** Lines of all starts of a test. */
let told: string[];
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'platform-demo-'));
  told = [];
});
afterEach(async () => {
  rmSync(dataDir, { recursive: true, force: true });
  await forgetTenant();
});

/** Makes the database look as if it had no demo tenant. */
function forgetTenant(): Promise<unknown> {
  return asAdmin(database, `update directory.tenants set slug = 'old-' || id::text where slug = 'demo'`);
}

const path = () => join(dataDir, 'demo.json');

function ensured() {
  return ensureDemo({ DATA_DIR: dataDir }, database.systemUrl, database.masterKeys, (line) => void told.push(line));
}

const start = async () => (await ensured()).demo;

/** Whether the API would accept a credential according to the directory. */
async function opens(text: string): Promise<boolean> {
  const { keyId, hash, kind } = parseKey(text)!;
  const [row] = await asAdmin<{ secret_hash: Buffer; kind: string; revoked_at: string | null }>(
    database,
    'select * from directory.authenticate($1)',
    [keyId],
  );
  return row!.kind === kind && row!.revoked_at === null && sameHash(row!.secret_hash, hash);
}

/** Sorted key ids of the demo tenant's valid credentials. */
async function valid(): Promise<string[]> {
  const found = await asAdmin<{ key_id: string }>(
    database,
    `select c.key_id from directory.credentials c join directory.tenants t on t.id = c.tenant_id
     where t.slug = 'demo' and c.revoked_at is null`,
  );
  return found.map(({ key_id }) => key_id).sort();
}

test('the first start creates the tenant, a key and a token in a private file', async () => {
  const demo = await start();
  expect(demo.tenantSlug).toBe('demo');
  expect(await opens(demo.apiKey)).toBe(true);
  expect(parseKey(demo.scimToken)).toMatchObject({ kind: 'scim_token' });
  expect(JSON.parse(readFileSync(path(), 'utf8'))).toEqual(demo);
  expect(statSync(path()).mode & 0o777).toBe(0o600);
  expect(readdirSync(dataDir)).toEqual(['demo.json']);
  expect(
    await asAdmin(database, "select slug, plan, reads_per_minute as reads from directory.tenants where slug = 'demo'"),
  ).toEqual([{ slug: 'demo', plan: 'business', reads: 6_000 }]);
});

test('later starts print the same credentials', async () => {
  const { demo, isNew } = await ensured();
  expect(isNew).toBe(true);
  const before = await asAdmin(database, 'select count(*) from data.audit_log');
  expect(await ensured()).toEqual({ demo, isNew: false });
  expect(await asAdmin(database, 'select count(*) from data.audit_log')).toEqual(before);
  expect(told).toEqual([]);
});

test.each<[string, () => void]>([
  ['is lost', () => rmSync(path())],
  ['is cut short', () => writeFileSync(path(), readFileSync(path(), 'utf8').slice(0, 40))],
  ['holds something else', () => writeFileSync(path(), '{"tenantSlug":"demo","apiKey":"x","scimToken":null}')],
])('when the file %s, new credentials replace the old ones', async (_case, damage) => {
  const old = await start();
  damage();
  const demo = await start();
  expect(await Promise.all([old, demo].map(({ apiKey }) => opens(apiKey)))).toEqual([false, true]);
  expect(await Promise.all([old, demo].map(({ scimToken }) => opens(scimToken)))).toEqual([false, true]);
  const ids = [demo.apiKey, demo.scimToken].map((text) => parseKey(text)!.keyId);
  expect(await valid()).toEqual(ids.sort());
  expect(await start()).toEqual(demo);
  expect(told).toEqual([`${path()} has no credentials of the tenant demo${REPLACED}`]);
});

test('keys created by users in the demo tenant stay', async () => {
  await start();
  const operator = operatorOf(database.settings);
  const argv = ['apikey', 'create', '--tenant', 'demo', '--name', 'Mine', '--scopes', 'deals:read'];
  const { apiKey } = await operator.json<{ apiKey: string }>(...argv);
  rmSync(path());
  await start();
  expect(await opens(apiKey)).toBe(true);
});

test('when the database was replaced, the tenant is created again', async () => {
  const old = await start();
  await forgetTenant();
  const demo = await start();
  expect(demo.apiKey).not.toBe(old.apiKey);
  expect(await opens(demo.apiKey)).toBe(true);
  expect(await start()).toEqual(demo);
});

test('an existing tenant with the same slug is used as it is', async () => {
  const operator = operatorOf(database.settings);
  const argv = ['tenant', 'create', '--slug', 'demo', '--name', 'Mine', '--plan', 'free'];
  const { apiKey } = await operator.json<{ apiKey: string }>(...argv);
  const demo = await start();
  expect(await Promise.all([apiKey, demo.apiKey].map(opens))).toEqual([true, true]);
});

test('a start that could not write the file blocks nothing and leaves no unknown credentials', async () => {
  mkdirSync(path());
  await expect(start()).rejects.toThrow(/^The demo credentials cannot be written to .*demo.json: [^\n]+$/);
  expect(await valid()).toHaveLength(2);
  expect(readdirSync(dataDir)).toEqual(['demo.json']);
  rmdirSync(path());
  const demo = await start();
  expect(await valid()).toEqual([demo.apiKey, demo.scimToken].map((text) => parseKey(text)!.keyId).sort());
  expect(await start()).toEqual(demo);
});

test('a revoked key is not printed again, and the start says so', async () => {
  const old = await start();
  const operator = operatorOf(database.settings);
  const { data } = await operator.json<{ data: { id: string; kind: string }[] }>('apikey', 'list', '--tenant', 'demo');
  const { id } = data.find(({ kind }) => kind === 'api_key')!;
  await operator.json('apikey', 'revoke', '--tenant', 'demo', '--id', id);
  const demo = await start();
  expect(demo.apiKey).not.toBe(old.apiKey);
  expect(await opens(demo.apiKey)).toBe(true);
  expect(told).toEqual([`The demo API key is revoked${REPLACED}`]);
});
