import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '#libs/config/settings.js';
import { Database } from '#libs/database/database.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { loadMasterKeys, replaceMasterKey } from '#libs/sealing/master-key-files.js';
import { assertMasterKeys } from '#libs/sealing/master-key-rotation.js';
import { MasterKeys } from '#libs/sealing/master-keys.js';
import { Sealer } from '#libs/sealing/sealer.js';
import { until } from '#libs/testing/until.js';
import { adminPool, asAdmin, createTestDatabase, type TestDatabase } from '../harness/database.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { operatorOf } from './operator.js';

const OTHER_TENANTS = 6_000;
const SECRETS = '/api/admin/secrets';

describe('a rotation with MASTER_KEY and MASTER_KEY_PREVIOUS', () => {
  let database: TestDatabase;
  const running: TestPlatform[] = [];
  const newKey = randomBytes(32);
  let oldKey: Buffer;
  let both: MasterKeys;
  const start = async (masterKeys: MasterKeys) => {
    const platform = await startPlatform({ shared: { ...database, masterKeys } });
    running.push(platform);
    return platform;
  };
  const operator = (MASTER_KEY: Buffer, MASTER_KEY_PREVIOUS: Buffer | null) =>
    operatorOf({ ...database.settings, MASTER_KEY, MASTER_KEY_PREVIOUS });
  const ids = () =>
    asAdmin<{ id: string; keys: number }>(
      database,
      'select master_key_id as id, count(*)::integer as keys from data.data_keys group by 1',
    );

  beforeAll(async () => {
    database = await createTestDatabase();
    [oldKey] = database.masterKeys.keys as [Buffer];
    both = new MasterKeys(newKey, oldKey);
    const sealer = new Sealer(null as unknown as Database, database.masterKeys); // only makes statements
    const admin = adminPool(database.adminUrl, 2);
    await Promise.all(
      Array.from({ length: OTHER_TENANTS }, () => {
        const { text, values } = sealer.firstKey(uuidv7());
        return admin.query(text, values);
      }),
    );
    await admin.end();
  });
  afterAll(async () => {
    for (const platform of running) await platform.close();
    await database.drop();
  });

  it('keeps all values readable before, during and after, also when it is killed', async () => {
    const before = await start(database.masterKeys);
    const tenant = await before.tenant();
    const on = (platform: TestPlatform) => ({
      get: (path: string) =>
        fetch(platform.url + path, { headers: { 'x-api-key': tenant.apiKey, 'x-tenant-slug': tenant.slug } }),
    });
    const stored = await tenant.api.post<{ fingerprint: string }>(SECRETS, { name: 'A', value: 'same' });
    await tenant.api.post(SECRETS, { name: 'B', value: 'other' });
    const first = await tenant.api.get<{ page: { nextCursor: string } }>(`${SECRETS}?limit=1`);

    const during = await start(both);
    const at = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    const range = `from=${at(-1)}&to=${at(1)}&format=json`;
    const signatures = async (platform: TestPlatform) =>
      (await on(platform).get(`/api/admin/audit-logs/export?${range}`)).status;
    expect(await signatures(during)).toBe(200);
    const next = await on(during).get(`${SECRETS}?limit=1&cursor=${first.body.page.nextCursor}`);
    expect(next.status).toBe(200);

    const child = spawn(process.execPath, ['dist/src/cli/main.js', 'master-key', 'rotate'], {
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        MASTER_KEY: newKey.toString('base64'),
        MASTER_KEY_PREVIOUS: oldKey.toString('base64'),
        DATABASE_SYSTEM_URL: database.systemUrl,
      },
      stdio: 'ignore',
    });
    const exited = once(child, 'exit');
    await until(async () => (await ids()).some(({ id }) => id === both.id) || child.exitCode !== null);
    child.kill('SIGKILL');
    await exited;
    expect((await ids()).map(({ id }) => id).sort()).toEqual([both.id, database.masterKeys.id].sort());

    // Half of the keys are wrapped with each master key: the API with both keys works, one with either key does not.
    expect(await signatures(await start(both))).toBe(200);
    const write = await fetch(during.url + SECRETS, {
      method: 'POST',
      headers: { 'x-api-key': tenant.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'A', value: 'same' }),
    });
    expect(((await write.json()) as { fingerprint: string }).fingerprint).toBe(stored.body.fingerprint);
    const refused = await operator(newKey, null).run('master-key', 'rotate');
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toBe(
      `MASTER_KEY is not the key of this database (key id ${database.masterKeys.id}). Correct it; to rotate keys, also set MASTER_KEY_PREVIOUS to that key and run "platform master-key rotate".\n`,
    );

    const finished = await operator(newKey, oldKey).json<{ state: string; rewrapped: Record<string, number> }>(
      ...['master-key', 'rotate'],
    );
    expect(finished).toMatchObject({ masterKeyId: both.id, state: 'finished' });
    expect(finished.rewrapped).toMatchObject({ 'directory.signing_keys': 1, 'directory.installation_keys': 1 });
    expect(await ids()).toEqual([{ id: both.id, keys: OTHER_TENANTS + 1 }]);
    expect(await operator(newKey, null).json('master-key', 'rotate')).toMatchObject({
      rewrapped: { 'data.data_keys': 0, 'directory.signing_keys': 0, 'directory.installation_keys': 0 },
    });

    const after = await start(new MasterKeys(newKey));
    expect(await signatures(after)).toBe(200);
    await assertMasterKeys(after.app.get(Database), new MasterKeys(newKey));
    await expect(assertMasterKeys(after.app.get(Database), new MasterKeys(oldKey))).rejects.toThrow(
      `MASTER_KEY is not the key of this database (key id ${both.id})`,
    );
  });
});

describe('a rotation of the key in DATA_DIR', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'platform-key-'));
  const settings = readSettings({ DATA_DIR: dataDir });
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
  const keyFiles = () => readdirSync(dataDir).filter((name) => name.startsWith('master.key'));

  it('replaces the files so that an interruption leaves a usable state', () => {
    const folder = mkdtempSync(join(tmpdir(), 'platform-key-'));
    const mine = { MASTER_KEY: null, MASTER_KEY_PREVIOUS: null, DATA_DIR: folder };
    const [first] = loadMasterKeys(mine).keys;
    // Interrupted after the first file.
    writeFileSync(join(folder, 'master.key.previous'), readFileSync(join(folder, 'master.key')));
    expect(loadMasterKeys(mine).keys).toEqual([first]);
    const [second, previous] = replaceMasterKey(mine).keys;
    expect(previous).toEqual(first);
    expect(replaceMasterKey(mine).keys[1]).toEqual(second);
    const kept = readdirSync(folder).filter((name) => /^master\.key\.[0-9a-f]{16}$/.test(name));
    expect(kept.map((name) => Buffer.from(readFileSync(join(folder, name), 'utf8'), 'base64'))).toEqual([first]);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    rmSync(folder, { recursive: true });
  });

  it('generates the new key and rewraps in one step while no platform runs', async () => {
    const operator = operatorOf(settings);
    const { slug } = await operator.tenant('free');
    const [before] = loadMasterKeys(settings).ids;
    const rotated = await operator.json<{ masterKeyId: string }>('master-key', 'rotate');
    expect(rotated).toMatchObject({ state: 'finished', rewrapped: { 'data.data_keys': 1 } });
    expect(loadMasterKeys(settings).ids).toEqual([rotated.masterKeyId, before]);
    expect(keyFiles().sort()).toEqual(['master.key', 'master.key.previous']);

    const repeated = await operator.run('master-key', 'rotate');
    expect(repeated).toMatchObject({ exitCode: 1, stdout: '' });
    expect(repeated.stderr).toBe(
      `The previous rotation is finished: all keys are encrypted with the master key ${rotated.masterKeyId}. To start another one, add --start.\n`,
    );
    expect(loadMasterKeys(settings).ids).toEqual([rotated.masterKeyId, before]);
    const again = await operator.json<{ masterKeyId: string }>('master-key', 'rotate', '--start');
    expect(loadMasterKeys(settings).ids).toEqual([again.masterKeyId, rotated.masterKeyId]);

    rmSync(join(dataDir, 'master.key.previous'));
    expect(await operator.json('apikey', 'list', '--tenant', slug)).toMatchObject({ data: [expect.anything()] });
    for (const name of readdirSync(dataDir).filter((each) => each.endsWith('.password')))
      expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600);
  });
});
