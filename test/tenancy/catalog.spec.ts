import pg from 'pg';
import type { DataSource } from 'typeorm';
import { dataSource } from '#libs/database/data-source.js';
import { rolesOf } from '#libs/database/roles.js';
import '#src/api/api.module.js'; // declares all types
import { ENTITIES } from '#src/areas/entities.js';
import { createTestDatabase, type TestDatabase } from '../harness/database.js';
import { lintCatalog } from './catalog-lint.js';
import { compareEntities } from './entity-agreement.js';
import { compareBounds } from './entity-bounds.js';

let database: TestDatabase;
let admin: pg.Client;
beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Client({ connectionString: database.adminUrl });
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await database.drop();
});

const roles = () => rolesOf(database.settings.DATABASE_ROLE_PREFIX!);

describe('the migrated schema', () => {
  it('violates no rule of tenant isolation', async () => {
    expect(await lintCatalog(admin, roles())).toEqual([]);
  });

  it('agrees with every entity', async () => {
    const source: DataSource = dataSource({
      url: database.appUrl,
      entities: ENTITIES,
      poolSize: 1,
      applicationName: 'catalog',
    });
    await source.initialize();
    try {
      expect(source.entityMetadatas).toHaveLength(ENTITIES.length);
      expect(await compareEntities(admin, source)).toEqual([]);
      expect(await compareBounds(admin, source)).toEqual([]);
    } finally {
      await source.destroy();
    }
  });
});

/** Each violates one rule. `expected` must be among the findings and name the table or object. */
const MISTAKES: [mistake: string, sql: string, expected: RegExp][] = [
  [
    'a table without row-level security',
    'create table data.x (tenant_id uuid not null, id uuid, primary key (tenant_id, id))',
    /^data\.x: row-level security is not enabled/,
  ],
  ['a table without a tenant', 'create table data.x (id uuid primary key)', /^data\.x: it has no column tenant_id/],
  [
    'a nullable tenant',
    'alter table data.idempotency_keys drop constraint idempotency_keys_pkey, alter tenant_id drop not null',
    /^data\.idempotency_keys: it has no column tenant_id/,
  ],
  [
    'a tenant by default',
    `alter table data.events alter tenant_id set default '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20'`,
    /^data\.events: it has no column tenant_id/,
  ],
  [
    'no FORCE',
    'alter table data.sales_deals no force row level security',
    /^data\.sales_deals: row-level security is not forced/,
  ],
  [
    'another policy',
    'create policy x on data.sales_deals for select to public using (true)',
    /^data\.sales_deals: unknown policy x/,
  ],
  ['a widened policy', 'alter policy rows on data.sales_deals to public', /^data\.sales_deals: unknown policy rows/],
  [
    'a lenient expression',
    `alter policy tenant_isolation on data.sales_deals using (tenant_id = (select current_setting('app.tenant_id', true)::uuid))`,
    /^data\.sales_deals: tenant_isolation is/,
  ],
  [
    'the system role let out',
    'alter policy tenant_isolation on data.sales_deals to platform_test_app',
    /^data\.sales_deals: tenant_isolation is/,
  ],
  [
    'a primary key of its own',
    'create table data.x (tenant_id uuid not null, id uuid primary key)',
    /^data\.x: the constraint x_pkey/,
  ],
  [
    'a global unique key',
    'alter table data.sales_deals add constraint x unique (reference)',
    /^data\.sales_deals: the constraint x does/,
  ],
  [
    'a single-column reference',
    'create unique index x on data.sales_pipelines (id); alter table data.sales_deals add constraint x foreign key (pipeline_id) references data.sales_pipelines (id)',
    /^data\.sales_deals: the constraint x does/,
  ],
  [
    'a crossed reference',
    'create unique index x on data.sales_pipelines (id, tenant_id); alter table data.sales_deals add constraint x foreign key (tenant_id, pipeline_id) references data.sales_pipelines (id, tenant_id)',
    /^data\.sales_deals: the foreign key x does not tie/,
  ],
  ['an index over tenants', 'create index x on data.sales_deals (created_at)', /^data\.sales_deals: the index data\.x/],
  [
    'an index on an expression',
    'create index x on data.sales_deals (lower(name))',
    /^data\.sales_deals: the index data\.x/,
  ],
  [
    'a unique work-queue index',
    'drop index data.idempotency_keys_done_idx; create unique index idempotency_keys_done_idx on data.idempotency_keys (completed_at)',
    /^data\.idempotency_keys: the index data\.idempotency_keys_done_idx/,
  ],
  [
    'an enum',
    `create type data.x as enum ('a'); alter table data.sales_deals add x data.x`,
    /^data\.sales_deals: the column x has the type data\.x/,
  ],
  ['an unused enum', `create type data.x as enum ('a')`, /^data\.x: it is an enum/],
  [
    'an array of numeric',
    'alter table data.sales_deals add x numeric[]',
    /^data\.sales_deals: the column x has the type numeric/,
  ],
  [
    'a floating amount',
    'alter table data.sales_deals add x double precision',
    /^data\.sales_deals: the column x has the type double/,
  ],
  [
    'a small amount',
    'alter table data.sales_deals add tax_minor integer',
    /^data\.sales_deals: the amount tax_minor is integer/,
  ],
  [
    'TRUNCATE',
    'grant truncate on data.sales_deals to platform_test_app',
    /^data\.sales_deals: platform_test_app may TRUNCATE/,
  ],
  [
    'TRIGGER',
    'grant trigger on data.sales_deals to platform_test_app',
    /^data\.sales_deals: platform_test_app may TRIGGER/,
  ],
  [
    'REFERENCES',
    'grant references on data.sales_deals to platform_test_system',
    /^data\.sales_deals: platform_test_system may REFERENCES/,
  ],
  ['a right for everyone', 'grant select on data.sales_deals to public', /^data\.sales_deals: PUBLIC may SELECT/],
  [
    'a column for the lookup role',
    'grant select (currency) on data.sales_deals to platform_test_lookup',
    /^data\.sales_deals: platform_test_lookup may SELECT the column currency/,
  ],
  [
    'a table of the app role',
    'alter table data.sales_deals owner to platform_test_app',
    /^platform_test_app: it owns table data\.sales_deals/,
  ],
  [
    'membership',
    'grant platform_test_owner to platform_test_app',
    /^platform_test_app: it is a member of platform_test_owner/,
  ],
  ['BYPASSRLS', 'alter role platform_test_app bypassrls', /^platform_test_app: it bypasses/],
  ['a superuser', 'alter role platform_test_system superuser', /^platform_test_system: it is a superuser/],
  ['a login of the owner', 'alter role platform_test_owner login', /^platform_test_owner: it can log in/],
  [
    'an open search_path',
    `create function data.x() returns int language sql as 'select 1'`,
    /^data\.x\(\): its search_path is not set/,
  ],
  [
    'a definer function',
    `create function data.x() returns int language sql security definer set search_path = pg_catalog as 'select 1'; alter function data.x() owner to platform_test_lookup`,
    /^data\.x\(\): it is SECURITY DEFINER/,
  ],
  [
    'a definer function of the superuser',
    'alter function directory.authenticate(text) owner to current_user',
    /^directory\.authenticate\(text\): the definer function belongs to/,
  ],
  [
    'a definer function for everyone',
    'grant execute on function directory.authenticate(text) to public',
    /^directory\.authenticate\(text\): PUBLIC may run/,
  ],
  ['a view', 'create view data.x as select 1 as one', /^data\.x: the view is not security_invoker/],
  ['a materialised view', 'create materialized view data.x as select 1 as one', /^data\.x: it is a materialised view/],
  ['a copy elsewhere', 'create table public.x (tenant_id uuid)', /^x: it has a tenant_id but is outside/],
  [
    'an open directory',
    'grant select on directory.tenants to platform_test_app',
    /^directory\.tenants: SELECT on directory\.tenants/,
  ],
  [
    'an open column of the directory',
    'grant select (slug) on directory.tenants to platform_test_app',
    /^directory\.tenants: SELECT on directory\.tenants/,
  ],
  [
    'schemas tied together',
    'alter table data.sales_deals add constraint x foreign key (tenant_id) references directory.tenants (id)',
    /^data\.sales_deals: the foreign key x leads into another schema/,
  ],
  ['a right to create', 'grant create on schema data to platform_test_app', /^data: platform_test_app may create/],
];

describe('the catalog lint', () => {
  it.each(MISTAKES)('reports %s', async (_mistake, sql, expected) => {
    await admin.query('begin');
    try {
      await admin.query(sql);
      expect(await lintCatalog(admin, roles())).toEqual(expect.arrayContaining([expect.stringMatching(expected)]));
    } finally {
      await admin.query('rollback');
    }
  });
});
