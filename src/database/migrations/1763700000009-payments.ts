import type { MigrationInterface, QueryRunner } from 'typeorm';
import { keepAccountLive } from '#libs/database/live-reference.js';
import { listIndexes, recordTable } from '#libs/database/record-table.js';
import { migrationRoles, tenantTable } from '#libs/database/tenant-table.js';

const MOST = '9007199254740991';
const CURRENCY = `check (currency ~ '^[A-Z]{3}$')`;

/** Tax rates, payments, credit notes and the ledger, with what they can never be. */
export class Payments1763700000009 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { app, system } = migrationRoles();
    await taxRates(runner);
    await payments(runner);
    await allocations(runner);
    await creditNotes(runner);
    await creditWithinInvoices(runner);
    await usedRates(runner);
    await ledger(runner);
    await runner.query(`grant execute on all functions in schema data to ${app}, ${system}`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

async function taxRates(runner: QueryRunner): Promise<void> {
  await recordTable(
    runner,
    'data.finance_tax_rates',
    'finance.tax_rate',
    `percent integer not null check (percent between 0 and 1000000),
    country text,
    region text,
    code text,
    kind text not null check (kind in ('standard', 'reduced', 'zero', 'exempt', 'reverse_charge')),
    used_at timestamptz(3)`,
  );
  await listIndexes(runner, 'data.finance_tax_rates', {
    sorts: ['updated_at', 'name'],
    rareFilters: ['kind', 'country', 'code'],
  });
  await runner.query(`
    create function data.keep_percent() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      if old.used_at is not null and (new.percent <> old.percent or new.used_at is distinct from old.used_at) then
        raise exception 'documents use the rate' using errcode = '23514', constraint = 'finance_tax_rates_percent_fixed';
      end if;
      return new;
    end $$`);
  await runner.query(`
    create trigger percent_fixed before update on data.finance_tax_rates
      for each row execute function data.keep_percent()`);
}

/** A rate is used from the moment in which a document names it. */
async function usedRates(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create function data.use_tax_rates() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      update data.finance_tax_rates set used_at = now()
        where tenant_id = new.tenant_id and used_at is null and id in (
          select (x ->> 'taxRateId')::uuid from jsonb_array_elements(new.line_items) x
          where x ->> 'taxRateId' is not null);
      return null;
    end $$`);
  for (const table of ['data.finance_invoices', 'data.finance_credit_notes']) {
    const named = `jsonb_path_exists(new.line_items, '$[*].taxRateId ? (@ != null)')`;
    await runner.query(`
      create trigger use_new_tax_rates after insert on ${table} for each row when (${named})
        execute function data.use_tax_rates()`);
    await runner.query(`
      create trigger use_tax_rates after update on ${table} for each row
        when (new.line_items is distinct from old.line_items and ${named}) execute function data.use_tax_rates()`);
  }
}

async function payments(runner: QueryRunner): Promise<void> {
  await recordTable(
    runner,
    'data.finance_payments',
    'finance.payment',
    `status text not null check (status in
      ('pending', 'succeeded', 'failed', 'cancelled', 'partially_refunded', 'refunded')),
    account_id uuid,
    direction text not null check (direction in ('incoming', 'outgoing')),
    amount_minor bigint not null check (amount_minor between 1 and ${MOST}),
    allocated_minor bigint not null check (allocated_minor >= 0),
    refunded_minor bigint not null check (refunded_minor >= 0),
    currency text not null ${CURRENCY},
    exchange_rate text,
    method text not null check (method in ('bank_transfer', 'card', 'cash', 'cheque', 'direct_debit', 'other')),
    received_date date not null,
    payment_reference text,
    provider_name text,
    provider_id text,
    allocations jsonb not null,
    settled_at timestamptz(3),
    reason text,
    constraint finance_payments_currency_key unique (tenant_id, id, currency),
    constraint finance_payments_account foreign key (tenant_id, account_id)
      references data.sales_accounts (tenant_id, id),
    constraint finance_payments_within check (allocated_minor + refunded_minor <= amount_minor),
    check (direction = 'incoming' or allocated_minor = 0),
    check (status in ('succeeded', 'partially_refunded', 'refunded') or (allocated_minor = 0 and refunded_minor = 0)),
    check ((status = 'pending') = (settled_at is null)),
    check ((status = 'refunded') = (refunded_minor = amount_minor)),
    check ((status = 'partially_refunded') = (refunded_minor > 0 and refunded_minor < amount_minor)),
    check ((provider_name is null) = (provider_id is null))`,
  );
  await runner.query(
    `create unique index finance_payments_provider_once on data.finance_payments (tenant_id, provider_name, provider_id)
       where provider_id is not null`,
  );
  await listIndexes(runner, 'data.finance_payments', {
    sorts: ['updated_at', 'name', 'received_date', 'amount_minor'],
    filters: ['status', 'account_id', 'settled_at'],
    rareFilters: ['direction', 'method', 'currency', 'payment_reference', 'provider_id'],
  });
  await keepAccountLive(runner, 'data.finance_payments');
  // Money that has moved is changed by refunds and allocations, never by an edit.
  const fixed = [
    'direction',
    'amount_minor',
    'currency',
    'exchange_rate',
    'provider_name',
    'provider_id',
    'settled_at',
  ];
  await locked(runner, 'data.finance_payments', 'data.refuse_payment_change', { open: 'pending', fixed });
}

/** What a payment has paid of which invoice: neither across tenants nor across currencies, and never more than there is. */
async function allocations(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table data.finance_payment_allocations (
      tenant_id uuid not null,
      payment_id uuid not null,
      invoice_id uuid not null,
      currency text not null,
      amount_minor bigint not null check (amount_minor > 0),
      created_at timestamptz(3) not null,
      primary key (tenant_id, payment_id, invoice_id),
      foreign key (tenant_id, payment_id, currency) references data.finance_payments (tenant_id, id, currency),
      foreign key (tenant_id, invoice_id, currency) references data.finance_invoices (tenant_id, id, currency)
    )`);
  await runner.query(
    `create index finance_payment_allocations_invoice_idx on data.finance_payment_allocations (tenant_id, invoice_id, created_at)`,
  );
  await tenantTable(runner, 'data.finance_payment_allocations', { grant: 'select, insert, update, delete' });
  // The sums beside are bounded by checks of their tables; that they are the sums is looked at when a transaction ends.
  await runner.query(`
    create function data.check_allocations() returns trigger language plpgsql set search_path = pg_catalog as $$
    declare
      row jsonb := to_jsonb(case when tg_op = 'DELETE' then old else new end);
      tenant uuid := (row ->> 'tenant_id')::uuid;
      payment uuid := case tg_argv[0] when 'allocation' then (row ->> 'payment_id')::uuid
        when 'payment' then (row ->> 'id')::uuid end;
      invoice uuid := case tg_argv[0] when 'allocation' then (row ->> 'invoice_id')::uuid
        when 'invoice' then (row ->> 'id')::uuid end;
    begin
      if payment is not null and exists (
        select from data.finance_payments p where p.tenant_id = tenant and p.id = payment and p.allocated_minor <>
          (select coalesce(sum(a.amount_minor), 0) from data.finance_payment_allocations a
            where a.tenant_id = tenant and a.payment_id = payment)) then
        raise exception 'the allocations of payment % do not add up', payment using errcode = 'TOP06';
      end if;
      if invoice is not null and exists (
        select from data.finance_invoices i where i.tenant_id = tenant and i.id = invoice and i.amount_paid_minor <>
          (select coalesce(sum(a.amount_minor), 0) from data.finance_payment_allocations a
            where a.tenant_id = tenant and a.invoice_id = invoice)) then
        raise exception 'the payments of invoice % do not add up', invoice using errcode = 'TOP06';
      end if;
      return null;
    end $$`);
  const deferred = (what: string) =>
    `deferrable initially deferred for each row execute function data.check_allocations('${what}')`;
  await runner.query(`
    create constraint trigger adds_up after insert or update or delete on data.finance_payment_allocations
      ${deferred('allocation')}`);
  await runner.query(`
    create constraint trigger allocations_add_up after insert or update of allocated_minor on data.finance_payments
      ${deferred('payment')}`);
  await runner.query(`
    create constraint trigger payments_add_up after insert or update of amount_paid_minor on data.finance_invoices
      ${deferred('invoice')}`);
}

async function creditNotes(runner: QueryRunner): Promise<void> {
  const amount = (column: string) => `${column} bigint not null check (${column} between -${MOST} and ${MOST})`;
  await recordTable(
    runner,
    'data.finance_credit_notes',
    'finance.credit_note',
    `status text not null check (status in ('draft', 'issued', 'applied', 'void')),
    number text collate "C",
    invoice_id uuid not null,
    account_id uuid,
    currency text not null ${CURRENCY},
    reason text not null,
    disposition text not null check (disposition in ('reduce_balance', 'refund', 'account_credit')),
    tax_inclusive boolean not null,
    line_items jsonb not null check (
      case jsonb_typeof(line_items) when 'array' then jsonb_array_length(line_items) <= 500 else false end),
    ${amount('subtotal_minor')},
    ${amount('discount_minor')},
    ${amount('tax_minor')},
    ${amount('total_minor')},
    base_total_minor bigint,
    base_tax_minor bigint,
    tax_breakdown jsonb not null,
    issue_date date,
    applied_at timestamptz(3),
    voided_at timestamptz(3),
    void_reason text,
    constraint finance_credit_notes_number_key unique (tenant_id, number),
    constraint finance_credit_notes_account foreign key (tenant_id, account_id)
      references data.sales_accounts (tenant_id, id),
    foreign key (tenant_id, invoice_id, currency) references data.finance_invoices (tenant_id, id, currency),
    check ((status = 'draft') = (number is null)),
    check (status = 'draft' or (issue_date is not null and base_total_minor is not null and base_tax_minor is not null
      and total_minor > 0 and deleted_at is null)),
    check ((status = 'applied') = (applied_at is not null)),
    check ((status = 'void') = (voided_at is not null and void_reason is not null)),
    check (archived_at is null)`,
  );
  await listIndexes(runner, 'data.finance_credit_notes', {
    sorts: [
      'updated_at',
      'name',
      'total_minor',
      { column: 'number', nullable: 'text' },
      { column: 'issue_date', nullable: 'date' },
    ],
    filters: ['status', 'invoice_id', 'account_id'],
    rareFilters: ['currency', 'disposition'],
  });
  await keepAccountLive(runner, 'data.finance_credit_notes');
  const fixed = [
    ...['name', 'number', 'invoice_id', 'currency', 'reason', 'disposition', 'tax_inclusive', 'line_items'],
    ...['subtotal_minor', 'discount_minor', 'tax_minor', 'total_minor', 'base_total_minor', 'base_tax_minor'],
    ...['tax_breakdown', 'issue_date'],
  ];
  await locked(runner, 'data.finance_credit_notes', 'data.refuse_credit_note_change', { open: 'draft', fixed });
}

/** All that is credited of an invoice is never more than its total, and a void invoice has no credit. */
async function creditWithinInvoices(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create function data.check_credit() returns trigger language plpgsql set search_path = pg_catalog as $$
    declare
      invoice record;
    begin
      select total_minor, status into invoice from data.finance_invoices
        where tenant_id = new.tenant_id and id = new.invoice_id for no key update;
      if invoice.status in ('draft', 'void') or invoice.total_minor < (
        select sum(total_minor) from data.finance_credit_notes
        where tenant_id = new.tenant_id and invoice_id = new.invoice_id and status in ('issued', 'applied')) then
        raise exception 'more is credited than the invoice comes to'
          using errcode = '23514', constraint = 'finance_credit_notes_within_invoice';
      end if;
      return null;
    end $$`);
  const issued = `new.status in ('issued', 'applied')`;
  await runner.query(`
    create trigger new_within_invoice after insert on data.finance_credit_notes for each row when (${issued})
      execute function data.check_credit()`);
  await runner.query(`
    create trigger within_invoice after update on data.finance_credit_notes for each row
      when (${issued} and old.status is distinct from new.status) execute function data.check_credit()`);
  await runner.query(`
    create function data.refuse_void_with_credit() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      if exists (select from data.finance_credit_notes
        where tenant_id = new.tenant_id and invoice_id = new.id and status in ('issued', 'applied')) then
        raise exception 'a credit note stands against the invoice'
          using errcode = '23514', constraint = 'finance_invoices_void_without_credit';
      end if;
      return new;
    end $$`);
  await runner.query(`
    create trigger void_without_credit before update on data.finance_invoices for each row
      when (new.status = 'void' and old.status <> 'void') execute function data.refuse_void_with_credit()`);
}

async function ledger(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table data.finance_ledger_entries (
      tenant_id uuid not null,
      id uuid not null,
      journal_id uuid not null,
      entry_date date not null,
      account_code text not null check (account_code in
        ('bad_debt', 'cash', 'customer_credit', 'exchange_difference', 'payable', 'receivable', 'revenue', 'tax')),
      debit_minor bigint not null check (debit_minor between 0 and ${MOST}),
      credit_minor bigint not null check (credit_minor between 0 and ${MOST}),
      currency text not null ${CURRENCY},
      base_minor bigint not null check (base_minor between -${MOST} and ${MOST}),
      account_id uuid,
      invoice_id uuid,
      source_object text not null,
      source_id uuid not null,
      created_at timestamptz(3) not null,
      primary key (tenant_id, id),
      foreign key (tenant_id, invoice_id) references data.finance_invoices (tenant_id, id),
      check (debit_minor = 0 or credit_minor = 0),
      check (debit_minor <> 0 or credit_minor <> 0 or base_minor <> 0),
      check (account_code <> 'receivable' or invoice_id is not null)
    )`);
  await tenantTable(runner, 'data.finance_ledger_entries', { grant: 'select, insert' });
  const index = (name: string, columns: string) =>
    runner.query(
      `create index finance_ledger_entries_${name}_idx on data.finance_ledger_entries (tenant_id, ${columns})`,
    );
  await index('date', 'entry_date, id');
  await index('time', 'created_at, id');
  await index('journal', 'journal_id');
  await index('account_code', 'account_code, entry_date desc, id desc');
  await index('account', 'account_id, entry_date desc, id desc');
  await index('invoice', 'invoice_id, entry_date');
  await index('source', 'source_id, entry_date desc, id desc');
  await runner.query(
    `create index finance_ledger_entries_filters_idx on data.finance_ledger_entries
       using gin (tenant_id, currency, source_object)`,
  );
  await runner.query(`
    create function data.refuse_ledger_change() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      raise exception 'the ledger is append-only' using errcode = 'TOP03';
    end $$`);
  await runner.query(`
    create trigger append_only before update or delete on data.finance_ledger_entries
      for each row execute function data.refuse_ledger_change()`);
  await runner.query(`
    create trigger append_only_all before truncate on data.finance_ledger_entries
      for each statement execute function data.refuse_ledger_change()`);
  // A journal is one statement, so that it is whole or not at all, and nothing is added to it later.
  await runner.query(`
    create function data.check_journals() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      if exists (select from added group by tenant_id, journal_id, currency
          having sum(debit_minor) <> sum(credit_minor))
        or exists (select from added group by tenant_id, journal_id having sum(base_minor) <> 0)
        or exists (select from added a join data.finance_ledger_entries e using (tenant_id, journal_id)
          where e.id not in (select id from added)) then
        raise exception 'a journal does not add up to zero' using errcode = 'TOP06';
      end if;
      return null;
    end $$`);
  await runner.query(`
    create trigger in_balance after insert on data.finance_ledger_entries referencing new table as added
      for each statement execute function data.check_journals()`);
}

/** Columns that never change again once a row has left the state in which it is open, to which it never returns. */
async function locked(
  runner: QueryRunner,
  table: string,
  refusal: string,
  { open, fixed }: { open: string; fixed: string[] },
): Promise<void> {
  const row = (of: string) => fixed.map((column) => `${of}.${column}`).join(', ');
  await runner.query(`
    create function ${refusal}() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      if new.status = '${open}' or (${row('new')}) is distinct from (${row('old')}) then
        raise exception 'the record % is final', old.reference using errcode = 'TOP05';
      end if;
      return new;
    end $$`);
  await runner.query(`
    create trigger final before update on ${table} for each row when (old.status <> '${open}')
      execute function ${refusal}()`);
}
