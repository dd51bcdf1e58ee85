import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { readSettings } from '#libs/config/settings.js';
import { installationRoles } from '#src/database/urls.js';
import { createTestDatabase, type TestDatabase } from '../harness/database.js';
import { newSlug, operatorOf } from './operator.js';

const LINE = /^[^\n]+\n$/;

async function onServer(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: process.env['TEST_ADMIN_URL']! });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

describe('on an empty database', () => {
  const name = `cli_${randomBytes(6).toString('hex')}`;
  const dataDir = mkdtempSync(join(tmpdir(), 'platform-cli-'));
  const url = new URL(process.env['TEST_ADMIN_URL']!);
  url.pathname = `/${name}`;
  const settings = readSettings({ DATABASE_URL: url.href, DATA_DIR: dataDir });
  const operator = operatorOf(settings);

  beforeAll(() => onServer((client) => client.query(`create database ${name}`)));
  afterAll(async () => {
    await onServer(async (client) => {
      await client.query(`drop database ${name} with (force)`);
      for (const role of Object.values(installationRoles(settings, url.href)) as string[])
        await client.query(`drop role if exists ${role}`);
    });
    rmSync(dataDir, { recursive: true, force: true });
  });

  test('a command asks to migrate first; it works after migrate, which can be repeated', async () => {
    const create = ['tenant', 'create', '--slug', 'acme', '--name', 'Acme', '--plan', 'free'];
    const refused = await operator.run(...create);
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toMatch(LINE);
    expect(refused.stderr).toContain('run the command migrate');
    const migrated = await operator.json('migrate');
    expect(migrated['newest']).toEqual(expect.any(String));
    expect(await operator.json('migrate')).toEqual(migrated);
    expect(await operator.json(...create)).toMatchObject({ slug: 'acme' });
  });
});

describe('on a migrated database', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  const env = (more: Record<string, string>) =>
    readSettings({ MASTER_KEY: database.masterKeys.keys[0]!.toString('base64'), ...more });

  test('DATABASE_SYSTEM_URL alone is sufficient', async () => {
    const operator = operatorOf(env({ DATABASE_SYSTEM_URL: database.systemUrl }));
    const slug = newSlug();
    expect(await operator.json('tenant', 'create', '--slug', slug, '--name', 'Acme', '--plan', 'free')).toMatchObject({
      slug,
    });
    expect(await operator.json('seed', '--tenant', slug, '--deals', '10')).toMatchObject({ deals: 10 });
  });

  test('DATABASE_SYSTEM_URL without a master key is refused, because its data could not be decrypted', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'platform-cli-'));
    const operator = operatorOf(readSettings({ DATABASE_SYSTEM_URL: database.systemUrl, DATA_DIR: dataDir }));
    const ended = await operator.run('tenant', 'create', '--slug', newSlug(), '--name', 'Acme', '--plan', 'free');
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ended.stderr).toMatch(/MASTER_KEY must be set/);
    rmSync(dataDir, { recursive: true });
  });

  test('another master key is refused with one line', async () => {
    const settings = { ...database.settings, MASTER_KEY: randomBytes(32) };
    const ended = await operatorOf(settings).run('tenant', 'list');
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ended.stderr).toMatch(LINE);
    expect(ended.stderr).toMatch(/MASTER_KEY is not the key of this database \(key id [0-9a-f]{16}\)/);
  });

  test.each([
    ['refuses connections', '127.0.0.1:1/platform'],
    ['does not exist', 'unknown'],
  ])('a database that %s is reported in one line', async (_case, place) => {
    const url = new URL(database.systemUrl);
    if (place === 'unknown') url.pathname = '/no_such_database';
    else url.host = place.split('/')[0]!;
    for (const setting of ['DATABASE_URL', 'DATABASE_SYSTEM_URL']) {
      const ended = await operatorOf(env({ [setting]: url.href })).run('tenant', 'list', '--json');
      expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
      expect(ended.stderr).toMatch(LINE);
      expect(ended.stderr).toContain('database');
    }
  });

  test('messages never contain a password', async () => {
    const url = new URL(database.systemUrl);
    url.password = 'far-too-secret';
    const { stderr } = await operatorOf(env({ DATABASE_SYSTEM_URL: url.href })).run('tenant', 'list');
    expect(stderr).toMatch(LINE);
    expect(stderr).not.toContain('far-too-secret');
  });
});
