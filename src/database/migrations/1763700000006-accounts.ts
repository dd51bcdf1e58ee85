import type { MigrationInterface, QueryRunner } from 'typeorm';
import { listIndexes, recordTable } from '#libs/database/record-table.js';
import { searchedWords, searchFunction } from '#libs/database/search.js';
import { migrationRoles, tenantTable } from '#libs/database/tenant-table.js';

const AMOUNT = 'between 0 and 9007199254740991';
const CURRENCY = `~ '^[A-Z]{3}$'`;
const SOURCES = `('inbound', 'outbound', 'referral', 'partner', 'event', 'demo_request', 'import', 'other')`;

/** Accounts, contacts, leads, products; deals with their accounts, contacts and lines; an index for each list. */
export class Accounts1763700000006 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { app, system } = migrationRoles();
    await liveReferences(runner);
    await accounts(runner);
    await contacts(runner);
    await products(runner);
    await deals(runner);
    await contactsOfDeals(runner);
    await leads(runner);
    await pipelines(runner);
    await runner.query(`grant execute on all functions in schema data to ${app}, ${system}`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

/**
 * A trigger function that refuses a reference to a record that is in the trash or was merged into another one. It locks
 * the target against both until the transaction ends, so that no reference slips in behind a merge or a deletion, which
 * take the row `for update`. Arguments: table of the target, column, JSON pointer of the field.
 */
async function liveReferences(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create function data.expect_live() returns trigger language plpgsql set search_path = pg_catalog as $$
    declare
      found boolean;
    begin
      execute format('select true from %s where tenant_id = $1 and id = $2 and deleted_at is null
        and merged_into_id is null for key share', tg_argv[0])
        into found using new.tenant_id, (to_jsonb(new) ->> tg_argv[1])::uuid;
      if found is null then
        raise exception '%', tg_argv[2] using errcode = 'TOP04';
      end if;
      return null;
    end $$`);
}

/** A column of a table that names an account, say, may from now on only be set to one that lives. */
async function keepLive(
  runner: QueryRunner,
  table: string,
  reference: { column: string; target: string; pointer: string },
): Promise<void> {
  const { column, target, pointer } = reference;
  const call = `execute function data.expect_live('${target}', '${column}', '${pointer}')`;
  await runner.query(
    `create trigger new_${column}_lives after insert on ${table} for each row when (new.${column} is not null) ${call}`,
  );
  await runner.query(
    `create trigger ${column}_lives after update on ${table} for each row
       when (new.${column} is not null and new.${column} is distinct from old.${column}) ${call}`,
  );
}

async function accounts(runner: QueryRunner): Promise<void> {
  await recordTable(
    runner,
    'data.sales_accounts',
    'sales.account',
    `domain text check (length(domain) between 1 and 253 and domain = lower(domain)),
    roles jsonb not null default '[]',
    industry text check (length(industry) between 1 and 100),
    size text check (size in ('micro', 'small', 'medium', 'large', 'enterprise')),
    billing_email text check (length(billing_email) <= 254),
    billing_address jsonb,
    shipping_address jsonb,
    tax_id text check (length(tax_id) between 1 and 60),
    currency text check (currency ${CURRENCY}),
    payment_terms_days integer check (payment_terms_days between 0 and 3650),
    credit_limit_minor bigint check (credit_limit_minor ${AMOUNT}),
    parent_account_id uuid,
    lifecycle text not null check (lifecycle in ('prospect', 'active', 'churned', 'blocked')),
    lifecycle_before text check (lifecycle_before in ('prospect', 'active', 'churned')),
    merged_into_id uuid,
    search tsvector not null generated always as (${searchedWords(
      `name || ' ' || reference || ' ' || coalesce(domain, '') || ' ' || coalesce(billing_email, '')`,
    )}) stored,
    constraint sales_accounts_parent foreign key (tenant_id, parent_account_id)
      references data.sales_accounts (tenant_id, id),
    constraint sales_accounts_merged_into foreign key (tenant_id, merged_into_id)
      references data.sales_accounts (tenant_id, id),
    check ((lifecycle = 'blocked') = (lifecycle_before is not null)),
    check (merged_into_id is null or (archived_at is not null and merged_into_id <> id))`,
  );
  await listIndexes(runner, 'data.sales_accounts', {
    sorts: ['updated_at', 'name'],
    filters: ['lifecycle', 'parent_account_id'],
    rareFilters: ['domain', 'industry', 'size', 'currency', 'tax_id', 'merged_into_id'],
  });
  await searchFunction(runner, 'data.sales_accounts');
  await keepLive(runner, 'data.sales_accounts', {
    column: 'parent_account_id',
    target: 'data.sales_accounts',
    pointer: '/parentAccountId',
  });
  await noRingOfParents(runner);
  await sideRows(runner, {
    table: 'sales_account_roles',
    of: 'sales_accounts',
    record: 'account_id',
    column: 'role',
    from: { column: 'roles', value: 'x' },
  });
}

/** No account is above itself. Each step up locks the account, so that two changes cannot close a ring together. */
async function noRingOfParents(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create function data.refuse_parent_ring() returns trigger language plpgsql set search_path = pg_catalog as $$
    declare
      above uuid := new.parent_account_id;
    begin
      while above is not null loop
        if above = new.id then
          raise exception 'An account is above itself.'
            using errcode = '23514', constraint = 'sales_accounts_parent_ring';
        end if;
        select a.parent_account_id into above from data.sales_accounts a
          where a.tenant_id = new.tenant_id and a.id = above for share;
      end loop;
      return null;
    end $$`);
  const call = `execute function data.refuse_parent_ring()`;
  await runner.query(
    `create trigger parent_ring after update on data.sales_accounts for each row
       when (new.parent_account_id is not null and new.parent_account_id is distinct from old.parent_account_id) ${call}`,
  );
}

/** Values of a JSON list also as rows, because JSON cannot be searched by an index behind row-level security. */
async function sideRows(
  runner: QueryRunner,
  rows: { table: string; of: string; record: string; column: string; from: { column: string; value: string } },
): Promise<void> {
  const { table, of, record, column, from } = rows;
  await runner.query(`
    create table data.${table} (
      tenant_id uuid not null,
      ${column} text not null,
      ${record} uuid not null,
      primary key (tenant_id, ${column}, ${record}),
      foreign key (tenant_id, ${record}) references data.${of} (tenant_id, id)
    )`);
  await runner.query(`create index ${table}_record_idx on data.${table} (tenant_id, ${record})`);
  await tenantTable(runner, `data.${table}`, { grant: 'select, insert, delete' });
  await runner.query(`
    create function data.keep_${table}() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      if tg_op = 'UPDATE' then
        delete from data.${table} where tenant_id = new.tenant_id and ${record} = new.id;
      end if;
      insert into data.${table} (tenant_id, ${record}, ${column})
        select distinct new.tenant_id, new.id, ${from.value} from jsonb_array_elements_text(new.${from.column}) x;
      return null;
    end $$`);
  const call = `execute function data.keep_${table}()`;
  await runner.query(
    `create trigger keep_new_${from.column}_rows after insert on data.${of} for each row
       when (new.${from.column} <> '[]') ${call}`,
  );
  await runner.query(
    `create trigger keep_${from.column}_rows after update on data.${of} for each row
       when (new.${from.column} is distinct from old.${from.column}) ${call}`,
  );
}

async function contacts(runner: QueryRunner): Promise<void> {
  await recordTable(
    runner,
    'data.sales_contacts',
    'sales.contact',
    `first_name text check (length(first_name) <= 100),
    last_name text check (length(last_name) <= 100),
    emails jsonb not null default '[]',
    phones jsonb not null default '[]',
    title text check (length(title) <= 200),
    account_id uuid,
    is_primary boolean not null default false,
    locale text check (length(locale) <= 35),
    consent jsonb not null,
    merged_into_id uuid,
    search tsvector not null generated always as (${searchedWords(
      `name || ' ' || reference || ' ' || coalesce(title, '') || ' ' || emails::text`,
    )}) stored,
    constraint sales_contacts_account foreign key (tenant_id, account_id) references data.sales_accounts (tenant_id, id),
    constraint sales_contacts_merged_into foreign key (tenant_id, merged_into_id)
      references data.sales_contacts (tenant_id, id),
    check (not is_primary or account_id is not null),
    check (merged_into_id is null or (archived_at is not null and merged_into_id <> id))`,
  );
  await listIndexes(runner, 'data.sales_contacts', {
    sorts: ['updated_at', 'name'],
    filters: ['account_id'],
    rareFilters: ['first_name', 'last_name', 'is_primary', 'merged_into_id'],
  });
  await runner.query(
    `create unique index sales_contacts_primary on data.sales_contacts (tenant_id, account_id)
       where is_primary and deleted_at is null and archived_at is null`,
  );
  await searchFunction(runner, 'data.sales_contacts');
  await keepLive(runner, 'data.sales_contacts', {
    column: 'account_id',
    target: 'data.sales_accounts',
    pointer: '/accountId',
  });
  await sideRows(runner, {
    table: 'sales_contact_emails',
    of: 'sales_contacts',
    record: 'contact_id',
    column: 'email',
    from: { column: 'emails', value: 'lower(x)' },
  });
}

async function products(runner: QueryRunner): Promise<void> {
  await recordTable(
    runner,
    'data.sales_products',
    'sales.product',
    `sku text collate "C" check (length(sku) between 1 and 100),
    kind text not null check (kind in ('goods', 'service', 'subscription')),
    description text check (length(description) <= 5000),
    unit_price_minor bigint check (unit_price_minor ${AMOUNT}),
    currency text not null check (currency ${CURRENCY}),
    prices jsonb not null default '[]',
    unit text check (length(unit) <= 40),
    cost_minor bigint check (cost_minor ${AMOUNT}),
    stocked boolean not null default false,
    billing_interval text check (billing_interval in ('month', 'quarter', 'year')),
    search tsvector not null generated always as (${searchedWords(
      `name || ' ' || reference || ' ' || coalesce(sku, '')`,
    )}) stored,
    check ((kind = 'subscription') = (billing_interval is not null)),
    check (not stocked or kind = 'goods')`,
  );
  await listIndexes(runner, 'data.sales_products', {
    sorts: [
      'updated_at',
      'name',
      { column: 'sku', nullable: 'text' },
      { column: 'unit_price_minor', nullable: 'bigint' },
    ],
    filters: ['kind'],
    rareFilters: ['sku', 'currency', 'billing_interval', 'stocked', 'unit_price_minor'],
  });
  await runner.query(
    `create unique index sales_products_sku_key on data.sales_products (tenant_id, lower(sku)) where deleted_at is null`,
  );
  await searchFunction(runner, 'data.sales_products');
}

/** The value of a deal with lines is their net total: the database itself adds them up. */
async function deals(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create function data.net_of_lines(lines jsonb) returns bigint
      language sql immutable parallel safe set search_path = pg_catalog as $$
      select sum((line ->> 'netMinor')::bigint)::bigint from jsonb_array_elements(lines) line $$`);
  await runner.query(`
    alter table data.sales_deals
      add column account_id uuid,
      add column primary_contact_id uuid,
      add column contact_ids jsonb not null default '[]',
      add column line_items jsonb not null default '[]',
      add constraint sales_deals_account foreign key (tenant_id, account_id)
        references data.sales_accounts (tenant_id, id),
      add constraint sales_deals_primary_contact foreign key (tenant_id, primary_contact_id)
        references data.sales_contacts (tenant_id, id),
      add constraint sales_deals_value_of_lines check
        (line_items = '[]' or coalesce(value_minor = data.net_of_lines(line_items), false))`);
  await runner.query(
    `drop index data.sales_deals_time_idx, data.sales_deals_updated_idx, data.sales_deals_stage_idx,
       data.sales_deals_name_idx, data.sales_deals_renewal_idx`,
  );
  await listIndexes(runner, 'data.sales_deals', {
    sorts: [
      'updated_at',
      'name',
      'probability',
      'stage_entered_at',
      { column: 'value_minor', nullable: 'bigint' },
      { column: 'expected_close_date', nullable: 'date' },
      { column: 'closed_at', nullable: 'timestamptz' },
    ],
    filters: ['pipeline_id', 'stage', 'status'],
    rareFilters: [
      'currency',
      'value_minor',
      'forecast_category',
      'deal_type',
      'source',
      'lost_reason',
      'expected_close_date',
      'next_step_date',
      'closed_at',
    ],
  });
  for (const column of ['account_id', 'primary_contact_id', 'renewal_of_deal_id'])
    await runner.query(
      `create index sales_deals_${column}_filter_idx on data.sales_deals (tenant_id, ${column}, created_at desc, id desc)
         where ${column} is not null`,
    );
  // What the board counts and adds up stands in the index itself.
  await runner.query(
    `create index sales_deals_board_idx on data.sales_deals (tenant_id, pipeline_id, stage, created_at desc, id desc)
       include (currency, value_minor, probability) where deleted_at is null and archived_at is null`,
  );
  await runner.query(
    `create index sales_deals_stale_idx on data.sales_deals (tenant_id, stale_at) where status = 'open' and stale_at is not null`,
  );
  await keepLive(runner, 'data.sales_deals', {
    column: 'account_id',
    target: 'data.sales_accounts',
    pointer: '/accountId',
  });
}

/**
 * The contacts of a deal belong to its account or to none. Checked from both sides: a deal locks its contacts while it looks
 * at them, and a contact that changes its account looks at its deals. A merge of accounts moves both and so defers it.
 */
async function contactsOfDeals(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table data.sales_deal_contacts (
      tenant_id uuid not null,
      contact_id uuid not null,
      deal_id uuid not null,
      primary key (tenant_id, contact_id, deal_id),
      foreign key (tenant_id, deal_id) references data.sales_deals (tenant_id, id),
      foreign key (tenant_id, contact_id) references data.sales_contacts (tenant_id, id)
    )`);
  await runner.query(`create index sales_deal_contacts_deal_idx on data.sales_deal_contacts (tenant_id, deal_id)`);
  await tenantTable(runner, 'data.sales_deal_contacts', { grant: 'select, insert, delete' });
  await keepLive(runner, 'data.sales_deal_contacts', {
    column: 'contact_id',
    target: 'data.sales_contacts',
    pointer: '/contactIds',
  });
  await runner.query(`
    create function data.keep_deal_contacts() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      delete from data.sales_deal_contacts d
        where d.tenant_id = new.tenant_id and d.deal_id = new.id
          and d.contact_id is distinct from new.primary_contact_id and not new.contact_ids ? d.contact_id::text;
      insert into data.sales_deal_contacts (tenant_id, deal_id, contact_id)
        select new.tenant_id, new.id, value::uuid from jsonb_array_elements_text(new.contact_ids)
        union select new.tenant_id, new.id, new.primary_contact_id where new.primary_contact_id is not null
        on conflict (tenant_id, contact_id, deal_id) do nothing;
      return null;
    end $$`);
  await runner.query(`
    create function data.check_contacts_of_deal() returns trigger language plpgsql set search_path = pg_catalog as $$
    declare
      account uuid;
    begin
      select d.account_id into account from data.sales_deals d where d.tenant_id = new.tenant_id and d.id = new.id;
      perform from data.sales_deal_contacts x join data.sales_contacts c
        on c.tenant_id = x.tenant_id and c.id = x.contact_id
        where x.tenant_id = new.tenant_id and x.deal_id = new.id order by c.id for share of c;
      if exists (select from data.sales_deal_contacts x join data.sales_contacts c
          on c.tenant_id = x.tenant_id and c.id = x.contact_id
          where x.tenant_id = new.tenant_id and x.deal_id = new.id
            and (c.account_id <> account or c.account_id is not null and account is null)) then
        raise exception 'A contact of the deal belongs to another account.'
          using errcode = '23514', constraint = 'sales_deals_contact_of_account';
      end if;
      return null;
    end $$`);
  await runner.query(`
    create function data.check_deals_of_contact() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      if exists (select from data.sales_contacts c
          join data.sales_deal_contacts x on x.tenant_id = c.tenant_id and x.contact_id = c.id
          join data.sales_deals d on d.tenant_id = x.tenant_id and d.id = x.deal_id
          where c.tenant_id = new.tenant_id and c.id = new.id and c.account_id is not null
            and d.account_id is distinct from c.account_id) then
        raise exception 'A deal of another account has the contact.'
          using errcode = '23514', constraint = 'sales_contacts_account_of_deals';
      end if;
      return null;
    end $$`);
  const some = `(new.primary_contact_id is not null or new.contact_ids <> '[]')`;
  const others = `new.primary_contact_id is distinct from old.primary_contact_id or new.contact_ids <> old.contact_ids`;
  // The names decide the order: first the rows are kept, then they are checked.
  const triggers = [
    `trigger keep_new_contacts after insert on data.sales_deals for each row
       when ${some} execute function data.keep_deal_contacts()`,
    `trigger keep_contacts after update on data.sales_deals for each row
       when (${others}) execute function data.keep_deal_contacts()`,
    `constraint trigger kept_new_contacts_fit after insert on data.sales_deals deferrable for each row
       when ${some} execute function data.check_contacts_of_deal()`,
    `constraint trigger kept_contacts_fit after update on data.sales_deals deferrable for each row
       when (${others} or new.account_id is distinct from old.account_id)
       execute function data.check_contacts_of_deal()`,
    `constraint trigger deals_fit after update on data.sales_contacts deferrable for each row
       when (new.account_id is not null and new.account_id is distinct from old.account_id)
       execute function data.check_deals_of_contact()`,
  ];
  for (const trigger of triggers) await runner.query(`create ${trigger}`);
}

async function leads(runner: QueryRunner): Promise<void> {
  await recordTable(
    runner,
    'data.sales_leads',
    'sales.lead',
    `email text check (length(email) <= 254),
    email_lower text generated always as (lower(email)) stored,
    company text check (length(company) <= 200),
    source text not null check (source in ${SOURCES}),
    message text check (length(message) <= 5000),
    score integer check (score between 0 and 100),
    status text not null check (status in ('new', 'working', 'qualified', 'disqualified')),
    disqualified_reason text,
    disqualified_at timestamptz(3),
    converted_at timestamptz(3),
    account_id uuid,
    contact_id uuid,
    deal_id uuid,
    search tsvector not null generated always as (${searchedWords(
      `name || ' ' || reference || ' ' || coalesce(company, '') || ' ' || coalesce(email, '')`,
    )}) stored,
    foreign key (tenant_id, account_id) references data.sales_accounts (tenant_id, id),
    foreign key (tenant_id, contact_id) references data.sales_contacts (tenant_id, id),
    constraint sales_leads_deal foreign key (tenant_id, deal_id) references data.sales_deals (tenant_id, id),
    check ((status = 'qualified') = (converted_at is not null)),
    check ((status = 'qualified') = (account_id is not null)),
    check ((status = 'qualified') = (contact_id is not null)),
    check ((status = 'qualified') = (deal_id is not null)),
    check ((status = 'disqualified') = (disqualified_reason is not null)),
    check ((status = 'disqualified') = (disqualified_at is not null))`,
  );
  await listIndexes(runner, 'data.sales_leads', {
    sorts: ['updated_at', 'name', { column: 'score', nullable: 'integer' }],
    filters: ['status', 'source', 'account_id', 'contact_id'],
    rareFilters: ['email_lower', 'company', 'score', 'deal_id', 'converted_at', 'disqualified_at'],
  });
  await searchFunction(runner, 'data.sales_leads');
}

async function pipelines(runner: QueryRunner): Promise<void> {
  await runner.query(`drop index data.sales_pipelines_time_idx`);
  await listIndexes(runner, 'data.sales_pipelines', { sorts: ['updated_at', 'name'] });
}
