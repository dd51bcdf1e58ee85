import { createHmac, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { readSettings, type Settings } from '#libs/config/settings.js';
import { deriveKey, encrypt } from '#libs/sealing/cipher.js';
import { setMigrationContext } from '#libs/database/tenant-table.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { MasterKeys } from '#libs/sealing/master-keys.js';
import { migrate } from '#src/database/migrate.js';
import { MIGRATIONS } from '#src/database/migrations.js';
import { KeyVersions1763700000095 } from '#src/database/migrations/1763700000095-key-versions.js';
import { connectionUrls, installationRoles } from '#src/database/urls.js';

/** A database of the release that derived the passwords and had no key ids. */
const masterKey = randomBytes(32);
const name = `keys_${randomBytes(6).toString('hex')}`;
const folders = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'platform-keys-')));
const server = process.env['TEST_ADMIN_URL']!;
const adminUrl = new URL(server);
adminUrl.pathname = `/${name}`;
const settingsOf = (key: Buffer, folder = 0): Settings =>
  readSettings({ DATABASE_URL: adminUrl.href, DATA_DIR: folders[folder], MASTER_KEY: key.toString('base64') });
const roles = installationRoles(settingsOf(masterKey), adminUrl.href);
const [tenantId, dataKey] = [uuidv7(), randomBytes(32)];

async function query<R extends pg.QueryResultRow>(url: string, text: string, values: unknown[] = []): Promise<R[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<R>(text, values)).rows;
  } finally {
    await client.end();
  }
}

beforeAll(async () => {
  await query(server, `create database ${name}`);
  for (const role of Object.values(roles) as string[])
    await query(server, `create role ${role} login password 'legacy' noinherit`);
  const admin = adminUrl.href;
  await query(admin, `grant ${roles.owner}, ${roles.lookup} to current_user`);
  await query(admin, `grant ${roles.lookup} to ${roles.owner}`);
  await query(admin, `alter role ${roles.owner} nologin`);
  await query(admin, `alter role ${roles.lookup} nologin`);
  await query(admin, `grant create, connect on database ${name} to ${roles.owner}`);
  for (const schema of ['directory', 'data'])
    await query(admin, `create schema ${schema} authorization ${roles.owner}`);
  setMigrationContext({ roles, masterKeyId: 'unused' });
  const source = await new DataSource({
    type: 'postgres',
    url: admin,
    schema: 'directory',
    migrations: MIGRATIONS.slice(0, MIGRATIONS.indexOf(KeyVersions1763700000095)),
    migrationsTableName: 'migrations',
    migrationsTransactionMode: 'each',
    installExtensions: false,
    extra: { options: `-c role=${roles.owner}` },
  }).initialize();
  await source.runMigrations();
  await source.destroy();
  const check = createHmac('sha256', masterKey).update('installation').digest();
  await query(admin, `insert into directory.installation (key_check) values ($1)`, [check]);
  const wrapped = encrypt(deriveKey(masterKey, 'wrap data keys'), dataKey, `${tenantId}|data key|1`);
  await query(admin, `insert into data.data_keys (tenant_id, version, wrapped, created_at) values ($1, 1, $2, now())`, [
    tenantId,
    wrapped,
  ]);
});

afterAll(async () => {
  await query(server, `drop database ${name} with (force)`);
  for (const role of Object.values(roles) as string[]) await query(server, `drop role if exists ${role}`);
  for (const folder of folders) rmSync(folder, { recursive: true });
});

it('refuses another master key before it changes anything', async () => {
  await expect(migrate(adminUrl.href, settingsOf(randomBytes(32)))).rejects.toThrow(/set up with another MASTER_KEY/);
});

it('names the master key of existing keys, keeps the key of fingerprints, and sets random passwords', async () => {
  const settings = settingsOf(masterKey);
  await migrate(adminUrl.href, settings);
  const keys = new MasterKeys(masterKey);
  const [row] = await query<{ sealed: Buffer; masterKeyId: string }>(
    adminUrl.href,
    `select wrapped as sealed, master_key_id as "masterKeyId" from data.data_keys`,
  );
  expect(keys.unwrap('wrap data keys', row!, `${tenantId}|data key|1`)).toEqual(dataKey);
  const [kept] = await query<{ sealed: Buffer; masterKeyId: string }>(
    adminUrl.href,
    `select wrapped as sealed, master_key_id as "masterKeyId" from directory.installation_keys`,
  );
  expect(keys.unwrap('wrap installation keys', kept!, 'installation_keys|wrapped|fingerprints of secrets')).toEqual(
    deriveKey(masterKey, 'fingerprints of secrets'),
  );
  const { appUrl, systemUrl } = connectionUrls(settings, adminUrl.href);
  expect(await query(appUrl, 'select id from directory.master_keys_in_use()')).toEqual([{ id: keys.id }]);
  expect(await query(systemUrl, 'select version from data.data_keys')).toEqual([{ version: 1 }]);
  const legacy = new URL(appUrl);
  legacy.password = 'legacy';
  await expect(query(legacy.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });
  await migrate(adminUrl.href, settings);
  expect(await query(appUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
});

it('does not replace passwords that it does not know, but sets those of the connection URLs', async () => {
  await expect(migrate(adminUrl.href, settingsOf(masterKey, 1))).rejects.toThrow(
    `The password of the database role ${roles.app} is not in `,
  );
  const settings = settingsOf(masterKey);
  const stored = readFileSync(join(folders[0]!, `${roles.app}.password`), 'utf8').trim();
  const own = (role: string) => {
    const url = new URL(adminUrl);
    [url.username, url.password] = [role, `chosen%2F${role}`];
    return url.href;
  };
  const [DATABASE_APP_URL, DATABASE_SYSTEM_URL] = [own(roles.app), own(roles.system)];
  await migrate(adminUrl.href, { ...settingsOf(masterKey, 1), DATABASE_APP_URL, DATABASE_SYSTEM_URL });
  expect(await query(DATABASE_APP_URL, 'select 1 as one')).toEqual([{ one: 1 }]);
  expect(await query(DATABASE_SYSTEM_URL, 'select 1 as one')).toEqual([{ one: 1 }]);
  const old = new URL(DATABASE_APP_URL);
  old.password = stored;
  await expect(query(old.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });
  await migrate(adminUrl.href, settings);
});
