import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { migrateQueueSchema } from './queue-schema.js';

describe('migrateQueueSchema', () => {
  const name = `queue_schema_${randomBytes(6).toString('hex')}`;
  const url = new URL(process.env['TEST_ADMIN_URL']!);
  let admin: pg.Client;
  let database: pg.Client;

  beforeAll(async () => {
    admin = new pg.Client({ connectionString: url.href });
    await admin.connect();
    await admin.query(`create database ${name}`);
    await admin.query(`create role ${name} noinherit`);
    url.pathname = `/${name}`;
    database = new pg.Client({ connectionString: url.href });
    await database.connect();
  });
  afterAll(async () => {
    await database.end();
    await admin.query(`drop database ${name} with (force)`);
    await admin.query(`drop role ${name}`);
    await admin.end();
  });

  it('can run again, and by several at once', async () => {
    const run = () => migrateQueueSchema(url.href, 'queue', name);
    await Promise.all([run(), run(), run()]);
    await run();
  });

  it('gives the role the use of the schema but no ownership and no right to create', async () => {
    const { rows } = await database.query(
      `select has_schema_privilege($1, 'queue', 'usage') as usage,
              has_schema_privilege($1, 'queue', 'create') as create,
              has_table_privilege($1, 'queue.job', 'select, insert, update, delete') as jobs,
              has_table_privilege($1, 'queue.migration', 'select') as reads_versions,
              has_table_privilege($1, 'queue.migration', 'insert, update, delete') as writes_versions,
              (select count(*)::int from pg_class where relowner = $1::regrole) as owned`,
      [name],
    );
    expect(rows[0]).toEqual({
      usage: true,
      create: false,
      jobs: true,
      reads_versions: true,
      writes_versions: false,
      owned: 0,
    });
  });

  it('refuses names that are not plain', async () => {
    await expect(migrateQueueSchema(url.href, 'queue"; drop schema queue', name)).rejects.toThrow(/schema name/);
  });
});
