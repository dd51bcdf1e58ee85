import type { MigrationInterface, QueryRunner } from 'typeorm';
import { keepLive } from '#libs/database/live-reference.js';
import { listIndexes, recordTable } from '#libs/database/record-table.js';
import { searchedWords, searchFunction } from '#libs/database/search.js';
import { migrationRoles } from '#libs/database/tenant-table.js';
import { contactsOfDeals, liveReferences, noRingOfParents, sideRows } from './1763700000006-accounts-rules.js';

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
