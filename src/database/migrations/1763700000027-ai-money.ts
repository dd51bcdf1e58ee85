import type { MigrationInterface, QueryRunner } from 'typeorm';
import { definerFunction } from '#libs/database/definer.js';
import { tenantTable } from '#libs/database/tenant-table.js';
import { moneyFunctions } from './1763700000027-ai-money-functions.js';

/**
 * Money of AI jobs: budgets, their accounts, reservations, and a ledger that is only ever added to. What the counters of an
 * account say is the sum of its entries at any time, because one function writes both. ADR 0023.
 */
export class AiMoney1763700000027 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await budgets(runner);
    await accounts(runner);
    await ledger(runner);
    await moneyFunctions(runner);
    await keys(runner);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

async function budgets(runner: QueryRunner): Promise<void> {
  // `scope_id` is empty for the tenant itself, the key of a model, an id otherwise.
  await runner.query(`
    create table data.ai_budgets (
      tenant_id uuid not null,
      id uuid not null,
      scope_type text not null check (scope_type in ('tenant', 'workspace', 'member', 'api_key', 'agent', 'model')),
      scope_id text not null check (length(scope_id) <= 201),
      period text not null check (period in ('day', 'week', 'month')),
      limit_micros bigint not null check (limit_micros >= 0),
      soft_limit_micros bigint check (soft_limit_micros between 1 and limit_micros),
      hard_stop boolean not null,
      enabled boolean not null,
      version integer not null check (version > 0),
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      deleted_at timestamptz(3),
      primary key (tenant_id, id),
      check ((scope_type = 'tenant') = (scope_id = ''))
    )`);
  await runner.query(`
    create unique index ai_budgets_scope_key on data.ai_budgets (tenant_id, scope_type, scope_id, period)
      where deleted_at is null`);
  await runner.query(`
    create index ai_budgets_created_idx on data.ai_budgets (tenant_id, created_at, id) where deleted_at is null`);
  await tenantTable(runner, 'data.ai_budgets', { grant: 'select, insert, update' });
}

async function accounts(runner: QueryRunner): Promise<void> {
  // One row per budget and period; the limit of the plan and an agent's own limit per day have accounts as well.
  // `subject_id` is the budget, the agent, or the tenant. No column of an index changes, and half of each page is left
  // free, so that a change of the counters rewrites a row in place.
  await runner.query(`
    create table data.ai_accounts (
      tenant_id uuid not null,
      id uuid not null,
      kind text not null check (kind in ('plan', 'agent', 'budget')),
      subject_id uuid not null,
      period text not null check (period in ('day', 'week', 'month')),
      period_start date not null,
      limit_micros bigint check (limit_micros >= 0),
      soft_limit_micros bigint check (soft_limit_micros > 0),
      hard_stop boolean not null,
      held_micros bigint not null default 0 check (held_micros >= 0),
      spent_micros bigint not null default 0 check (spent_micros >= 0),
      overrun_micros bigint not null default 0 check (overrun_micros between 0 and spent_micros),
      excess_micros bigint not null default 0 check (excess_micros >= 0),
      soft_reached_at timestamptz(3),
      exhausted_at timestamptz(3),
      changed_at timestamptz(3) not null,
      primary key (tenant_id, id),
      constraint ai_accounts_period_key unique (tenant_id, kind, subject_id, period_start),
      constraint ai_accounts_limit_check check (
        not hard_stop or limit_micros is null or held_micros + spent_micros <= limit_micros + excess_micros)
    ) with (fillfactor = 50)`);
  await tenantTable(runner, 'data.ai_accounts', { grant: 'select, insert, update' });
}

async function ledger(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table data.ai_reservations (
      tenant_id uuid not null,
      id uuid not null,
      job_id uuid not null,
      kind text not null,
      provider text not null,
      model text not null,
      workspace_id uuid,
      member_id uuid,
      api_key_id uuid,
      agent_id uuid,
      state text not null check (state in ('open', 'released')),
      reserved_micros bigint not null check (reserved_micros >= 0),
      held_micros bigint not null check (held_micros between 0 and reserved_micros),
      spent_micros bigint not null check (spent_micros >= 0),
      overrun_micros bigint not null check (overrun_micros between 0 and spent_micros),
      expires_at timestamptz(3) not null,
      created_at timestamptz(3) not null,
      primary key (tenant_id, id),
      check (state = 'open' or held_micros = 0)
    )`);
  await runner.query(
    `create index ai_reservations_open_idx on data.ai_reservations (tenant_id, expires_at) where state = 'open'`,
  );
  await tenantTable(runner, 'data.ai_reservations', { grant: 'select, insert, update' });
  // `entry` names a booking within its reservation, so that none is made twice: reserve, lower:<to>, the id of a call,
  // release. A booking has an entry for each account. Tokens stand with the account of the plan, which every reservation
  // has: usage is the sum over its entries. No foreign key leads to accounts: each would lock the row that everybody changes.
  await runner.query(`
    create table data.ai_ledger (
      tenant_id uuid not null,
      reservation_id uuid not null,
      entry text not null check (length(entry) between 1 and 60),
      account_id uuid not null,
      kind text not null check (kind in ('reserve', 'lower', 'settle', 'release')),
      held_delta bigint not null,
      spent_delta bigint not null check (spent_delta >= 0),
      overrun_delta bigint not null check (overrun_delta between 0 and spent_delta),
      doubtful boolean not null,
      of_plan boolean not null,
      input_tokens bigint not null check (input_tokens >= 0),
      output_tokens bigint not null check (output_tokens >= 0),
      cached_tokens bigint not null check (cached_tokens >= 0),
      at timestamptz(3) not null,
      primary key (tenant_id, reservation_id, entry, account_id),
      foreign key (tenant_id, reservation_id) references data.ai_reservations (tenant_id, id)
    )`);
  await runner.query(`create index ai_ledger_account_idx on data.ai_ledger (tenant_id, account_id, at)`);
  await tenantTable(runner, 'data.ai_ledger', { grant: 'select, insert' });
  await runner.query(`
    create function data.guard_ai_ledger() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      raise exception 'the ledger of AI spending is append-only' using errcode = 'TOP03';
    end $$`);
  await runner.query(`
    create trigger guard_ai_ledger before update or delete on data.ai_ledger
      for each row execute function data.guard_ai_ledger()`);
  await runner.query(`
    create trigger guard_ai_ledger_as_a_whole before truncate on data.ai_ledger
      for each statement execute function data.guard_ai_ledger()`);
}

/** Budgets of a key are for all that it is rotated into. */
async function keys(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create function directory.api_key_lineage(wanted uuid) returns uuid language sql stable security definer
      set search_path = pg_catalog as $$
      select lineage_id from directory.credentials
        where tenant_id = current_setting('app.tenant_id')::uuid and wanted in (id, lineage_id) and kind = 'api_key'
        limit 1 $$`);
  await definerFunction(runner, 'directory.api_key_lineage(uuid)');
}
