import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import pg from 'pg';
import type { QueryRunner } from 'typeorm';
import { readSettings, type Settings } from '#libs/config/settings.js';
import { rolesOf } from '#libs/database/roles.js';
import { AuditSealer } from '#libs/proof/audit-sealer.js';
import { runAsSystem, type TenantFacts } from '#libs/tenancy/scope.js';
import { MIGRATIONS } from '#src/database/migrations.js';
import { connectionUrls } from '#src/database/urls.js';
import { Client } from '../harness/client.js';
import { Contract } from '../harness/contract.js';
import { asAdmin, type TestDatabase } from '../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../harness/platform.js';
import { operatorOf } from './operator.js';

const DEALS = '/api/v1/sales/deals';
const SECRETS = '/api/admin/secrets';
/** Everything that the text format of COPY escapes, and its end mark. */
const AWKWARD = 'tab\there, back\\slash, \\N, line\n\\.\nend, é, 😀';

const folder = mkdtempSync(join(tmpdir(), 'platform-backup-'));
const file = join(folder, 'platform.backup');
const name = `restored_${randomBytes(6).toString('hex')}`;
const backupRole = `${name}_backup`;
const managedRole = `${name}_managed`;
let platform: TestPlatform;
let tenant: TestTenant;

/** Sets up a server as a managed one is: no superuser, one role that migrates, one that backs up. */
async function onServer(...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: process.env['TEST_ADMIN_URL']! });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

const urlOf = (database: string, role: string | null): string => {
  const url = new URL(database);
  if (role !== null) [url.username, url.password] = [role, 'test'];
  return url.href;
};

const restoredUrl = (role: string | null): string => {
  const url = new URL(urlOf(process.env['TEST_ADMIN_URL']!, role));
  url.pathname = `/${name}`;
  return url.href;
};

const restoredSettings = (more: Record<string, string> = {}): Settings =>
  readSettings({
    NODE_ENV: 'test',
    LOG_LEVEL: 'silent',
    DATABASE_URL: restoredUrl(managedRole),
    DATA_DIR: folder,
    MASTER_KEY: platform.database.masterKeys.keys[0]!.toString('base64'),
    WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
    ...more,
  });

const operator = (DATABASE_URL: string) => operatorOf({ ...platform.database.settings, DATABASE_URL });

async function expectRefused(run: Promise<{ exitCode: number; stdout: string; stderr: string }>, line: RegExp) {
  const ended = await run;
  expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
  expect(ended.stderr).toMatch(/^[^\n]+\n$/);
  expect(ended.stderr).toMatch(line);
}

/** The rows of each table in a backup, in no particular order. */
function contentOf(path: string): Map<string, string[]> {
  const tables = new Map<string, string[]>();
  let rows: string[] = [];
  const [, ...lines] = gunzipSync(readFileSync(path)).toString().trimEnd().split('\n');
  for (const line of lines.slice(0, -1)) {
    if (line.startsWith('{"table":')) tables.set((JSON.parse(line) as { table: string }).table, (rows = []));
    else if (line !== '\\.') rows.push(line);
  }
  for (const each of tables.values()) each.sort();
  return tables;
}

/** What a restore takes away and must put back, without the partitions of one day. */
const catalogue = (adminUrl: string) =>
  asAdmin<{ thing: string }>(
    { adminUrl } as TestDatabase,
    `select thing from (
       select 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) || convalidated as thing
         from pg_constraint where connamespace in ('data'::regnamespace, 'directory'::regnamespace) and contype <> 'n'
       union all select 'trigger ' || tgrelid::regclass || ' ' || tgname || ' ' || tgenabled::text from pg_trigger
         where not tgisinternal
       union all select 'table ' || oid::regclass || ' ' || relrowsecurity || relforcerowsecurity || relkind::text from pg_class
         where relnamespace in ('data'::regnamespace, 'directory'::regnamespace)) as things
     where thing !~ '_[0-9]{8}' and thing !~ 'restore_probe' order by 1`,
  );

/** A migration of a release after the backup: it must meet the restored rows. */
class Probe9999999999999 {
  readonly name = 'Probe9999999999999';
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create table data.restore_probe as select count(*)::integer as tenants from directory.tenants');
  }
  async down(): Promise<void> {}
}

beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
  await onServer(
    `create role ${backupRole} login bypassrls password 'test'`,
    `grant pg_read_all_data to ${backupRole}`,
    `create role ${managedRole} login createrole password 'test'`,
    `create database ${name} owner ${managedRole}`,
  );
  const oldDay = `select data.make_partition('events', 'id', current_date - 10)`;
  await asAdmin(platform.database, oldDay);
  for (let n = 0; n < 5; n++)
    expect((await tenant.api.post(DEALS, { name: `Deal ${n}`, nextStep: AWKWARD })).status).toBe(201);
  await tenant.api.post(SECRETS, { name: 'SMTP', value: 'same' });
  const facts = { id: tenant.id, epoch: '1' } as TenantFacts;
  await runAsSystem(facts, 'test', 'seal', () => platform.app.get(AuditSealer).sealAll());
});
afterAll(async () => {
  await platform.close();
  await onServer(
    `drop database ${name} with (force)`,
    ...(Object.values(rolesOf(name)) as string[]).map((role) => `drop role if exists ${role}`),
    `drop role ${managedRole}`,
    `drop role ${backupRole}`,
  );
  rmSync(folder, { recursive: true });
});

describe('a backup made while requests run', () => {
  it('is one file of one moment, which only its owner may read', async () => {
    let isDone = false;
    const writing = (async () => {
      for (let n = 0; !isDone; n++) await tenant.api.post(DEALS, { name: `Meanwhile ${n}` });
    })();
    const made = await operator(urlOf(platform.database.adminUrl, backupRole)).json('backup', file);
    isDone = true;
    await writing;
    expect(made).toMatchObject({
      file,
      masterKeyIds: platform.database.masterKeys.ids,
      newest: MIGRATIONS.at(-1)!.name,
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['platform.backup']);
    const tables = contentOf(file);
    const count = (table: string, text: string) => tables.get(table)!.filter((row) => row.includes(text)).length;
    const deals = tables.get('data.sales_deals')!.length;
    expect(deals).toBeGreaterThanOrEqual(5);
    expect(count('data.audit_log', '\tsales.deal.created\t')).toBe(deals);
    expect(count('data.events', '\tsales.deal.created\t')).toBe(deals);
  });

  it('is not written over', () =>
    expectRefused(operator(platform.database.adminUrl).run('backup', file), /exists already; name another one/));

  it('is refused to a role that would see no tenant', () =>
    expectRefused(
      operator(platform.database.systemUrl).run('backup', join(folder, 'other')),
      /hides the tenants from the role \w+: back up with a role that has BYPASSRLS/,
    ));

  it('leaves nothing behind where it cannot be written', () =>
    expectRefused(
      operator(platform.database.adminUrl).run('backup', join(folder, 'missing', 'other')),
      /cannot be written to .*no such file or directory/,
    ));
});

describe('before it changes anything, a restore refuses', () => {
  const managed = (more?: Record<string, string>) => operatorOf(restoredSettings(more));
  const copy = (change: (text: string) => string): string => {
    const path = join(folder, 'changed');
    writeFileSync(path, gzipSync(change(gunzipSync(readFileSync(file)).toString())));
    return path;
  };
  afterAll(async () => {
    const rows = await asAdmin<{ count: string }>(
      { adminUrl: restoredUrl(null) } as TestDatabase,
      `select count(*) from pg_namespace where nspname in ('data', 'directory', 'queue')`,
    );
    expect(rows).toEqual([{ count: '0' }]);
  });

  it('another master key', () =>
    expectRefused(
      managed({ MASTER_KEY: randomBytes(32).toString('base64') }).run('restore', file),
      /made with another master key \(key id [0-9a-f]{16}\): set MASTER_KEY to that key/,
    ));

  it('a database with tenants', () =>
    expectRefused(
      operator(platform.database.adminUrl).run('restore', file),
      /contains tenants; restore into an empty/,
    ));

  it('a changed row', () =>
    expectRefused(
      managed().run(
        'restore',
        copy((text) => text.replace('Deal 3', 'Deal 4')),
      ),
      /not a complete backup: its checksum is wrong/,
    ));

  it('a file that was cut off', async () => {
    const path = copy((text) => text);
    truncateSync(path, Math.floor(statSync(path).size / 2));
    await expectRefused(managed().run('restore', path), /not a complete backup: unexpected end of file/);
  });

  it('a text that was cut off', () =>
    expectRefused(
      managed().run(
        'restore',
        copy((text) => text.slice(0, text.length / 2)),
      ),
      /not a complete backup: it ends too early/,
    ));

  it.each([
    ['another file', () => writeFileSync(join(folder, 'other'), 'hello\n'), /not a complete backup: incorrect header/],
    ['no file', () => rmSync(join(folder, 'other')), /cannot be read: ENOENT/],
  ])('%s', async (_case, prepare, line) => {
    prepare();
    await expectRefused(managed().run('restore', join(folder, 'other')), line);
  });

  it('a backup of a newer release', async () => {
    const path = join(folder, 'newer');
    await asAdmin(platform.database, `insert into directory.migrations (timestamp, name) values (9, 'Later9')`);
    await operator(platform.database.adminUrl).json('backup', path);
    await asAdmin(platform.database, `delete from directory.migrations where name = 'Later9'`);
    await expectRefused(managed().run('restore', path), /newer release \(migration Later9\)/);
  });
});

describe('a restore without a superuser, to a release with one more migration', () => {
  let restored: TestPlatform;
  let restoredDatabase: TestDatabase;
  let again: Map<string, string[]>;

  beforeAll(async () => {
    const settings = restoredSettings();
    MIGRATIONS.push(Probe9999999999999);
    try {
      const figures = await operatorOf(settings).json('restore', file);
      expect(figures).toMatchObject({ masterKeyIds: platform.database.masterKeys.ids });
    } finally {
      MIGRATIONS.pop();
    }
    await operator(restoredUrl(backupRole)).json('backup', join(folder, 'again'));
    again = contentOf(join(folder, 'again'));
    restoredDatabase = {
      ...platform.database,
      ...connectionUrls(settings, restoredUrl(managedRole)),
      adminUrl: restoredUrl(null),
      settings,
    };
    restored = await startPlatform({ shared: restoredDatabase });
  });
  afterAll(() => restored.close());

  it('brings back every row as it was, and runs the later migration on them', () => {
    expect(again.get('data.restore_probe')).toEqual([String(again.get('directory.tenants')!.length)]);
    again.delete('data.restore_probe');
    expect(again).toEqual(contentOf(file));
  });

  it('puts back all constraints, triggers and policies', async () => {
    const before = await catalogue(platform.database.adminUrl);
    expect(before.length).toBeGreaterThan(1_000);
    expect(await catalogue(restoredDatabase.adminUrl)).toEqual(before);
  });

  it('keeps the days of events in partitions, and continues the sequences', async () => {
    const manifestOf = (path: string) =>
      JSON.parse(gunzipSync(readFileSync(path)).toString().split('\n', 1)[0]!) as Record<string, unknown>;
    const { partitions, sequences } = manifestOf(file);
    expect(manifestOf(join(folder, 'again'))).toMatchObject({ partitions, sequences });
    expect(Object.keys(sequences as object)).toContain('data.audit_pending_position_seq');
  });

  it('is a platform that goes on: records, secrets, audit log, numbers', async () => {
    const api = new Client(restored.url, { 'x-api-key': tenant.apiKey }, Contract.of(restored.document));
    const [stored] = (await api.get<{ data: Record<string, unknown>[] }>(`${DEALS}?name=Deal%203`)).body.data;
    expect(stored).toMatchObject({ nextStep: AWKWARD });
    const { body: log } = await api.get<{ tree: object }>('/api/admin/audit-logs?verify=true&limit=200');
    expect(log.tree).toMatchObject({ verified: true, firstBroken: null });
    const secret = await api.get<{ data: { fingerprint: string }[] }>(SECRETS);
    const same = await api.post<{ fingerprint: string }>(SECRETS, { name: 'SMTP', value: 'same' });
    expect(same.body.fingerprint).toBe(secret.body.data[0]!.fingerprint);
    const day = 86_400_000;
    const range = `from=${new Date(Date.now() - day).toISOString()}&to=${new Date(Date.now() + day).toISOString()}`;
    expect((await api.get(`/api/admin/audit-logs/export?${range}&format=json`)).status).toBe(200);
    const made = await api.post<{ reference: string }>(DEALS, { name: 'After' });
    expect(made.status).toBe(201);
    const references = (await api.get<{ data: { reference: string }[] }>(`${DEALS}?limit=200`)).body.data;
    expect(new Set(references.map(({ reference }) => reference)).size).toBe(references.length);
  });

  it('is refused while an API uses the database', async () => {
    await asAdmin(restoredDatabase, 'alter table directory.tenants rename to hidden');
    await expectRefused(operatorOf(restoredSettings()).run('restore', file), /An API, a worker or a command uses the/);
    await asAdmin(restoredDatabase, 'alter table directory.hidden rename to tenants');
  });
});
