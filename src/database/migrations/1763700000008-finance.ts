import type { MigrationInterface, QueryRunner } from 'typeorm';
import { keepAccountLive } from '#libs/database/live-reference.js';
import { listIndexes, recordTable } from '#libs/database/record-table.js';
import { searchedWords, searchFunction } from '#libs/database/search.js';
import { migrationRoles, tenantTable } from '#libs/database/tenant-table.js';

const amount = (column: string, least = '-9007199254740991') =>
  `${column} bigint not null check (${column} between ${least} and 9007199254740991)`;

/** What an invoice says from its issue on. Its account is no part of that: accounts can be merged. */
const DOCUMENT = [
  'name',
  'number',
  'customer',
  'seller',
  'currency',
  'line_items',
  'tax_inclusive',
  'subtotal_minor',
  'discount_minor',
  'net_minor',
  'tax_minor',
  'total_minor',
  'tax_breakdown',
  'issue_date',
  'due_date',
  'payment_terms_days',
  'po_number',
  'terms',
  'language',
  'deal_id',
  'project_id',
  'purchase_ref',
  'exchange_rate',
  'base_currency',
  'base_total_minor',
  'content_hash',
];

/** Gapless numbers, and invoices with what they can never be. */
export class Finance1763700000008 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { app, system } = migrationRoles();
    // The row without a period is the series itself: its lock orders the takers, and it knows the newest date.
    await runner.query(`
      create table data.document_series (
        tenant_id uuid not null,
        series text not null,
        period text not null,
        next bigint not null check (next > 0),
        last_date date,
        primary key (tenant_id, series, period)
      )`);
    await tenantTable(runner, 'data.document_series', { grant: 'select, insert, update' });

    await invoices(runner);
    await lockedDocuments(runner);
    await sources(runner);
    await runner.query(`grant execute on all functions in schema data to ${app}, ${system}`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

/** `overdue_at` is the first instant after the due date, in the time zone that the tenant had at the issue. */
async function invoices(runner: QueryRunner): Promise<void> {
  await recordTable(
    runner,
    'data.finance_invoices',
    'finance.invoice',
    `number text collate "C",
    status text not null check (status in
      ('draft', 'issued', 'partially_paid', 'overdue', 'paid', 'void', 'uncollectible')),
    account_id uuid,
    customer jsonb,
    seller jsonb,
    currency text not null check (currency ~ '^[A-Z]{3}$'),
    line_items jsonb not null check (jsonb_array_length(line_items) <= 500),
    tax_inclusive boolean not null,
    ${amount('subtotal_minor')},
    ${amount('discount_minor')},
    ${amount('net_minor')},
    ${amount('tax_minor')},
    ${amount('total_minor')},
    tax_breakdown jsonb not null,
    ${amount('amount_paid_minor', '0')},
    ${amount('amount_credited_minor', '0')},
    ${amount('written_off_minor', '0')},
    ${amount('balance_minor')},
    issue_date date,
    due_date date,
    payment_terms_days integer check (payment_terms_days between 0 and 3650),
    po_number text,
    notes text,
    terms text,
    language text,
    deal_id uuid,
    project_id uuid,
    purchase_ref text,
    exchange_rate text,
    base_currency text,
    base_total_minor bigint,
    content_hash text,
    sent_at timestamptz(3),
    sent_to jsonb not null default '[]',
    sent_message text,
    paid_at timestamptz(3),
    voided_at timestamptz(3),
    void_reason text,
    overdue_at timestamptz(3),
    dunning_paused boolean not null,
    search tsvector not null generated always as (${searchedWords(
      `name || ' ' || reference || ' ' || coalesce(number, '') || ' ' || coalesce(po_number, '') || ' ' ||
         coalesce(customer->>'name', '')`,
    )}) stored,
    constraint finance_invoices_currency_key unique (tenant_id, id, currency),
    constraint finance_invoices_number_key unique (tenant_id, number),
    constraint finance_invoices_account foreign key (tenant_id, account_id) references data.sales_accounts (tenant_id, id),
    constraint finance_invoices_deal foreign key (tenant_id, deal_id) references data.sales_deals (tenant_id, id),
    constraint finance_invoices_project foreign key (tenant_id, project_id)
      references data.work_projects (tenant_id, id),
    check (net_minor + tax_minor = total_minor),
    check (balance_minor = total_minor - amount_paid_minor - amount_credited_minor - written_off_minor),
    check (status = 'draft' or balance_minor >= 0),
    check ((status = 'draft') = (number is null)),
    check (status = 'draft' or (issue_date is not null and due_date is not null and due_date >= issue_date
      and customer is not null and seller is not null and content_hash is not null and base_currency is not null
      and base_total_minor is not null and overdue_at is not null and deleted_at is null and jsonb_array_length(line_items) > 0)),
    check (status <> 'draft' or (amount_paid_minor = 0 and amount_credited_minor = 0 and written_off_minor = 0)),
    check (status not in ('issued', 'partially_paid', 'overdue') or (balance_minor > 0 and written_off_minor = 0)),
    check (status <> 'paid' or balance_minor = 0),
    check ((status = 'uncollectible') = (written_off_minor > 0)),
    check (status <> 'void' or (amount_paid_minor = 0 and amount_credited_minor = 0)),
    check ((status = 'void') = (voided_at is not null and void_reason is not null)),
    check (status = 'draft' or exchange_rate is not null or base_total_minor = total_minor),
    check (archived_at is null)`,
  );
  await listIndexes(runner, 'data.finance_invoices', {
    sorts: [
      'updated_at',
      'name',
      'total_minor',
      'balance_minor',
      { column: 'issue_date', nullable: 'date' },
      { column: 'due_date', nullable: 'date' },
      { column: 'number', nullable: 'text' },
    ],
    filters: ['status', 'account_id', 'deal_id', 'project_id', 'issue_date', 'due_date', 'sent_at'],
    rareFilters: ['currency'],
  });
  await searchFunction(runner, 'data.finance_invoices');
  // An account that is merged or deleted at the same time does not get away with a new reference.
  await keepAccountLive(runner, 'data.finance_invoices');
}

/** An invoice that has been issued says for ever what it said then, and is never a draft again. */
async function lockedDocuments(runner: QueryRunner): Promise<void> {
  const row = (of: string) => DOCUMENT.map((column) => `${of}.${column}`).join(', ');
  await runner.query(`
    create function data.refuse_document_change() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      if new.status = 'draft' or (${row('new')}) is distinct from (${row('old')}) then
        raise exception 'invoice % has been issued', old.number using errcode = 'TOP05';
      end if;
      return new;
    end $$`);
  await runner.query(`
    create trigger finance_invoices_locked before update on data.finance_invoices for each row
      when (old.status <> 'draft') execute function data.refuse_document_change()`);
}

/** What the lines of live invoices charge for, so that nothing is charged for twice. Kept by a trigger. */
async function sources(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table data.finance_invoice_sources (
      tenant_id uuid not null,
      object text not null,
      source_id uuid not null,
      invoice_id uuid not null,
      line_id uuid not null,
      constraint finance_invoice_sources_pkey primary key (tenant_id, object, source_id),
      foreign key (tenant_id, invoice_id) references data.finance_invoices (tenant_id, id)
    )`);
  await runner.query(
    `create index finance_invoice_sources_invoice_idx on data.finance_invoice_sources (tenant_id, invoice_id)`,
  );
  await tenantTable(runner, 'data.finance_invoice_sources', { grant: 'select, insert, delete' });
  await runner.query(`
    create function data.keep_invoice_sources() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      if tg_op = 'UPDATE' then
        delete from data.finance_invoice_sources where tenant_id = new.tenant_id and invoice_id = new.id;
      end if;
      if new.status <> 'void' and new.deleted_at is null then
        insert into data.finance_invoice_sources (tenant_id, object, source_id, invoice_id, line_id)
          select new.tenant_id, x#>>'{source,object}', (x#>>'{source,id}')::uuid, new.id, (x->>'id')::uuid
          from jsonb_array_elements(new.line_items) x where x#>>'{source,id}' is not null
          order by 2, 3;
      end if;
      return null;
    end $$`);
  await runner.query(`
    create trigger keep_new_sources after insert on data.finance_invoices
      for each row execute function data.keep_invoice_sources()`);
  await runner.query(`
    create trigger keep_sources after update on data.finance_invoices for each row
      when (new.line_items is distinct from old.line_items or new.status is distinct from old.status
        or new.deleted_at is distinct from old.deleted_at)
      execute function data.keep_invoice_sources()`);
}
