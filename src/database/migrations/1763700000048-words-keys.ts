import type { QueryRunner } from 'typeorm';
import { OperatorError } from '#libs/config/operator-error.js';
import { definerFunction } from '#libs/database/definer.js';
import { migrationRoles } from '#libs/database/tenant-table.js';

/** Rows kept beside records, one for each value of a list. */
const SIDES = [
  {
    of: 'sales_contacts',
    side: 'sales_contact_emails',
    columns: 'contact_id, email',
    values: 'data.fold(x) from jsonb_array_elements_text(r.emails) x',
  },
  {
    of: 'talent_candidates',
    side: 'talent_candidate_skills',
    columns: 'candidate_id, skill',
    values: 'data.fold(left(x, 100)) from jsonb_array_elements_text(r.skills) x',
  },
  {
    of: 'people_employees',
    side: 'people_skills',
    columns: 'employee_id, skill',
    values: `data.fold(x ->> 'name') from jsonb_array_elements(r.skills) x`,
  },
] as const;

interface Unique {
  index: string;
  on: string;
  column: string;
  where: string;
  /** What must be unique, if not the folded column. */
  key?: string;
}

const UNIQUE: readonly Unique[] = [
  { index: 'sales_products_sku_key', on: 'sales_products', column: 'sku', where: 'deleted_at is null' },
  {
    index: 'people_employees_work_email_key',
    on: 'people_employees',
    column: 'work_email',
    where: `work_email is not null and status <> 'terminated' and deleted_at is null`,
  },
  {
    index: 'talent_candidates_email_key',
    on: 'talent_candidates',
    column: 'email',
    where: 'email is not null and deleted_at is null and archived_at is null',
  },
  { index: 'roles_name_key', on: 'roles', column: 'name', where: 'true' },
];

/** All that was kept or compared in lower case becomes what `data.fold` makes of it, for what is there already too. */
export async function foldKeys(runner: QueryRunner): Promise<void> {
  const tagged = await taggedTables(runner);
  const touched = [
    ...tagged.map(({ table }) => table),
    'data.record_tags',
    ...SIDES.map(({ side }) => `data.${side}`),
    ...['scim_users', 'scim_user_emails', 'scim_groups', 'scim_mappings'].map((table) => `data.${table}`),
  ];
  // Rows are changed by the owner, who otherwise sees none without a tenant.
  for (const table of touched) await runner.query(`alter table ${table} no force row level security`);
  await foldTags(runner, tagged);
  for (const side of SIDES) await foldSide(runner, side);
  await foldScim(runner);
  for (const table of touched) await runner.query(`alter table ${table} force row level security`);
  await foldAddresses(runner);
  for (const each of UNIQUE) {
    await runner.query(`drop index data.${each.index}`);
    await uniqueIndex(runner, each);
  }
  await foldInvitations(runner);
}

/** @throws OperatorError with one clear line where two values that were different are the same now. */
async function uniqueIndex(
  runner: QueryRunner,
  { index, on, column, where, key = `data.fold(${column})` }: Unique,
): Promise<void> {
  await runner.query(`alter table data.${on} no force row level security`);
  const [clash] = (await runner.query(
    `select tenant_id as tenant, string_agg(id::text, ', ' order by id) as ids from data.${on}
     where ${where} group by tenant_id, ${key} having count(*) > 1 limit 1`,
  )) as { tenant: string; ids: string }[];
  await runner.query(`alter table data.${on} force row level security`);
  if (clash)
    throw new OperatorError(
      `The ${column} of these ${on} of the tenant ${clash.tenant} differs in case or accents alone: ${clash.ids}. Give all but one another value with the version before, then migrate again.`,
    );
  await runner.query(`create unique index ${index} on data.${on} (tenant_id, ${key}) where ${where}`);
}

interface Tagged {
  table: string;
  type: string;
}

function taggedTables(runner: QueryRunner): Promise<Tagged[]> {
  return runner.query(`
    select tgrelid::regclass::text as table, split_part(encode(tgargs, 'escape'), '\\000', 1) as type
    from pg_trigger where tgname = 'keep_tags'`) as Promise<Tagged[]>;
}

async function foldTags(runner: QueryRunner, tagged: Tagged[]): Promise<void> {
  await runner.query(`
    create or replace function data.keep_tags() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      if tg_op = 'UPDATE' then
        delete from data.record_tags where tenant_id = new.tenant_id and object = tg_argv[0] and record_id = new.id;
      end if;
      insert into data.record_tags (tenant_id, object, record_id, tag)
        select distinct new.tenant_id, tg_argv[0], new.id, data.fold(x) from jsonb_array_elements_text(new.tags) x;
      return null;
    end $$`);
  await runner.query('delete from data.record_tags');
  for (const { table, type } of tagged)
    await runner.query(
      `insert into data.record_tags (tenant_id, object, record_id, tag)
       select distinct r.tenant_id, $1, r.id, data.fold(x) from ${table} r, jsonb_array_elements_text(r.tags) x`,
      [type],
    );
}

async function foldSide(runner: QueryRunner, { of, side, columns, values }: (typeof SIDES)[number]): Promise<void> {
  const [key = ''] = columns.split(', ');
  await runner.query(`
    create or replace function data.keep_${side}() returns trigger language plpgsql set search_path = pg_catalog as $$
    declare r alias for new;
    begin
      if tg_op = 'UPDATE' then
        delete from data.${side} where tenant_id = new.tenant_id and ${key} = new.id;
      end if;
      insert into data.${side} (tenant_id, ${columns}) select distinct new.tenant_id, new.id, ${values};
      return null;
    end $$`);
  await runner.query(`delete from data.${side}`);
  const [value, source = ''] = values.split(' from ');
  await runner.query(
    `insert into data.${side} (tenant_id, ${columns})
     select distinct r.tenant_id, r.id, ${value} from data.${of} r, ${source}`,
  );
}

/** What a provider compares without regard to case. Keys of before differ by two letters at most. */
async function foldScim(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create or replace function data.scim_fold(value text) returns text language sql immutable strict
      set search_path = pg_catalog as $$ select data.fold(value) $$`);
  const other = (column: string) => `${column}::text ~ U&'\\03C2|i\\0307'`;
  const folded = (column: string) =>
    `${column} = replace(replace(${column}::text, 'ς', 'σ'), U&'i\\0307', 'i')${column === 'keys' ? '::jsonb' : ''}`;
  for (const [table, columns] of [
    ['scim_users', ['user_name_key', 'display_name_key', 'keys']],
    ['scim_groups', ['display_name_key', 'keys']],
    ['scim_mappings', ['group_key']],
  ] as const)
    for (const column of columns)
      await runner.query(`update data.${table} set ${folded(column)} where ${other(column)}`);
}

/** Columns that hold an address as it is compared. */
async function foldAddresses(runner: QueryRunner): Promise<void> {
  for (const [table, bounds] of [
    ['memberships', 'not null'],
    ['invitations', ''],
    ['sales_leads', ''],
  ])
    await runner.query(`
      alter table data.${table} drop column email_lower,
        add column email_lower text ${bounds} generated always as (data.fold(email)) stored`);
  const address = { column: 'email', key: 'email_lower' };
  await uniqueIndex(runner, {
    index: 'memberships_email_key',
    on: 'memberships',
    ...address,
    where: 'deleted_at is null',
  });
  await uniqueIndex(runner, {
    index: 'invitations_email_key',
    on: 'invitations',
    ...address,
    where: `status = 'pending'`,
  });
  await runner.query(
    `create index sales_leads_filters_idx on data.sales_leads using gin
       (tenant_id, email_lower, company, score, deal_id, converted_at, disqualified_at)`,
  );
}

/** What leads a person to the invitations to their address. */
async function foldInvitations(runner: QueryRunner): Promise<void> {
  const { lookup, owner } = migrationRoles();
  await runner.query(`alter table data.invitations no force row level security`);
  await runner.query(`
    update directory.open_invitations o set email_lower = i.email_lower
    from data.invitations i where i.tenant_id = o.tenant_id and i.id = o.invitation_id`);
  await runner.query(`alter table data.invitations force row level security`);
  // The functions belong to the lookup role, which alone may replace them.
  await runner.query(`set local role ${lookup}`);
  for (const signature of ['open_invitation(uuid, bytea, text)', 'invitations_of(uuid)'])
    await runner.query(`drop function directory.${signature}`);
  await runner.query(`set local role ${owner}`);
  await runner.query(`
    create function directory.open_invitation(invitation uuid, hash bytea, address text) returns void
      language sql security definer set search_path = pg_catalog as $$
      insert into directory.open_invitations (tenant_id, invitation_id, token_hash, email_lower)
        values (current_setting('app.tenant_id')::uuid, invitation, hash, data.fold(address))
      on conflict (tenant_id, invitation_id) do update set token_hash = excluded.token_hash $$`);
  await runner.query(`
    create function directory.invitations_of(person uuid)
      returns table (invitation_id uuid, id uuid, slug text, name text, plan text, currency text, epoch bigint)
      language sql stable security definer set search_path = pg_catalog as $$
      select i.invitation_id, t.id, t.slug, t.name, t.plan, t.currency, t.epoch
      from directory.users u join directory.open_invitations i on i.email_lower = data.fold(u.email)
        join directory.tenants t on t.id = i.tenant_id
      where u.id = person order by i.invitation_id limit 20 $$`);
  for (const signature of ['open_invitation(uuid, bytea, text)', 'invitations_of(uuid)'])
    await definerFunction(runner, `directory.${signature}`);
}
