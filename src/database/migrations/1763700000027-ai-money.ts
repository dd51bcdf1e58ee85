import type { MigrationInterface, QueryRunner } from 'typeorm';
import { definerFunction } from '#libs/database/definer.js';
import { migrationRoles, tenantTable } from '#libs/database/tenant-table.js';

const TENANT = `current_setting('app.tenant_id')::uuid`;
/**
 * Money of AI jobs: budgets, their accounts, reservations, and a ledger that is only ever added to. What the counters of an
 * account say is the sum of its entries at any time, because one function writes both. ADR 0023.
 */
export class AiMoney1763700000027 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await budgets(runner);
    await accounts(runner);
    await ledger(runner);
    await openAccount(runner);
    await reserve(runner);
    await settle(runner);
    await lower(runner);
    const { app, system } = migrationRoles();
    await runner.query(`grant execute on all functions in schema data to ${app}, ${system}`);
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

/** The id of the account of a subject in a period, which is made when it is first needed. */
async function openAccount(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create function data.ai_period_start(period text, day date) returns date
      language sql immutable set search_path = pg_catalog
      return date_trunc(period, day::timestamp)::date`);
  // The budget is locked meanwhile: who changes its limit either finds the account or is waited for.
  await runner.query(`
    create function data.ai_account(p_kind text, p_subject uuid, p_period text, p_day date, p_at timestamptz) returns uuid
      language plpgsql set search_path = pg_catalog as $$
    declare
      t constant uuid := ${TENANT};
      starts constant date := data.ai_period_start(p_period, p_day);
      found_id uuid;
      limits record;
    begin
      select id into found_id from data.ai_accounts
        where tenant_id = t and kind = p_kind and subject_id = p_subject and period_start = starts;
      if found_id is not null then
        return found_id;
      end if;
      if p_kind = 'budget' then
        select limit_micros, soft_limit_micros, hard_stop into strict limits
          from data.ai_budgets where tenant_id = t and id = p_subject for share;
      else
        select null::bigint as limit_micros, null::bigint as soft_limit_micros, true as hard_stop into limits;
      end if;
      insert into data.ai_accounts (tenant_id, id, kind, subject_id, period, period_start, limit_micros,
          soft_limit_micros, hard_stop, changed_at)
        values (t, gen_random_uuid(), p_kind, p_subject, p_period, starts, limits.limit_micros,
          limits.soft_limit_micros, limits.hard_stop, p_at)
        on conflict do nothing returning id into found_id;
      if found_id is null then
        select id into strict found_id from data.ai_accounts
          where tenant_id = t and kind = p_kind and subject_id = p_subject and period_start = starts;
      end if;
      return found_id;
    end $$`);
}

async function reserve(runner: QueryRunner): Promise<void> {
  // Who refuses is told by the message: the caller's transaction is undone, and with it what could be read later.
  await runner.query(`
    create function data.ai_reserve(p_id uuid, p_job uuid, p_micros bigint, p_scope jsonb, p_plan_limit bigint,
        p_agent_limit bigint, p_day date, p_at timestamptz, p_expires timestamptz) returns void
      language plpgsql set search_path = pg_catalog as $$
    declare
      t constant uuid := ${TENANT};
      agent constant uuid := (p_scope ->> 'agentId')::uuid;
      accounts uuid[];
      plan_account uuid;
      account uuid;
      refused record;
    begin
      loop
        select array_agg(a.id order by a.id), (array_agg(a.id) filter (where w.kind = 'plan'))[1]
          into accounts, plan_account
          from (
            select 'plan' as kind, t as subject, 'month' as period
            union all
            select 'agent', agent, 'day' where agent is not null and p_agent_limit is not null
            union all
            select 'budget', b.id, b.period from (values ('tenant', ''), ('workspace', p_scope ->> 'workspaceId'),
                ('member', p_scope ->> 'memberId'), ('api_key', p_scope ->> 'apiKeyId'), ('agent', p_scope ->> 'agentId'),
                ('model', p_scope ->> 'modelKey')) as s (type, id)
              join data.ai_budgets b on b.tenant_id = t and b.scope_type = s.type and b.scope_id = s.id
                and b.deleted_at is null and b.enabled) w
          left join data.ai_accounts a on a.tenant_id = t and a.kind = w.kind and a.subject_id = w.subject
            and a.period_start = date_trunc(w.period, p_day::timestamp)::date;
        exit when array_position(accounts, null) is null;
        perform data.ai_account('plan', t, 'month', p_day, p_at);
        if agent is not null and p_agent_limit is not null then
          perform data.ai_account('agent', agent, 'day', p_day, p_at);
        end if;
        perform data.ai_account('budget', b.id, b.period, p_day, p_at)
          from (select b.id, b.period from data.ai_budgets b where b.tenant_id = t and b.deleted_at is null and b.enabled
              and (b.scope_type, b.scope_id) in (('tenant', ''), ('workspace', p_scope ->> 'workspaceId'),
                ('member', p_scope ->> 'memberId'), ('api_key', p_scope ->> 'apiKeyId'), ('agent', p_scope ->> 'agentId'),
                ('model', p_scope ->> 'modelKey')) order by b.id) b;
      end loop;
      insert into data.ai_reservations values (t, p_id, p_job, p_scope ->> 'kind', p_scope ->> 'provider',
        p_scope ->> 'model', (p_scope ->> 'workspaceId')::uuid, (p_scope ->> 'memberId')::uuid,
        (p_scope ->> 'apiKeyId')::uuid, agent, 'open', p_micros, p_micros, 0, 0, p_expires, p_at);
      insert into data.ai_ledger
        select t, p_id, 'reserve', a, 'reserve', p_micros, 0, 0, false, a = plan_account, 0, 0, 0, p_at
        from unnest(accounts) a;
      if p_micros = 0 then
        return;
      end if;
      foreach account in array accounts loop
        update data.ai_accounts set held_micros = held_micros + p_micros, changed_at = p_at,
            limit_micros = case kind when 'plan' then p_plan_limit when 'agent' then p_agent_limit else limit_micros end
          where tenant_id = t and id = account and (not hard_stop or spent_micros + held_micros + p_micros <=
            coalesce(case kind when 'plan' then p_plan_limit when 'agent' then p_agent_limit else limit_micros end,
              9223372036854775807));
        if not found then
          select a.*, b.scope_type, b.scope_id into strict refused from data.ai_accounts a
            left join data.ai_budgets b on b.tenant_id = t and b.id = a.subject_id
            where a.tenant_id = t and a.id = account;
          raise exception '%', json_build_object('kind', refused.kind, 'subjectId', refused.subject_id,
              'scopeType', refused.scope_type, 'scopeId', refused.scope_id, 'period', refused.period,
              'periodStart', refused.period_start, 'softLimitMicros', refused.soft_limit_micros,
              'limitMicros', case refused.kind when 'plan' then p_plan_limit when 'agent' then p_agent_limit
                else refused.limit_micros end,
              'heldMicros', refused.held_micros, 'spentMicros', refused.spent_micros,
              'isKnown', refused.exhausted_at is not null)
            using errcode = 'TOP11';
        end if;
      end loop;
    end $$`);
  // The refusal is told of once: the second teller fails, and with it the flight that tells.
  await runner.query(`
    create function data.ai_exhaust(p_kind text, p_subject uuid, p_period text, p_start date, p_at timestamptz)
      returns void language plpgsql set search_path = pg_catalog as $$
    declare
      account constant uuid := data.ai_account(p_kind, p_subject, p_period, p_start, p_at);
    begin
      update data.ai_accounts set exhausted_at = p_at
        where tenant_id = ${TENANT} and id = account and exhausted_at is null;
      if not found then
        raise exception 'it is told already' using errcode = 'TOP12';
      end if;
    end $$`);
}

async function settle(runner: QueryRunner): Promise<void> {
  // What an account says stays what its entries add up to, so only this function changes counters of a reservation.
  await runner.query(`
    create function data.ai_book(p_reservation uuid, p_entry text, p_kind text, p_freed bigint, p_spent bigint,
        p_overrun bigint, p_doubtful boolean, p_tokens bigint[], p_at timestamptz) returns uuid[]
      language plpgsql set search_path = pg_catalog as $$
    declare
      t constant uuid := ${TENANT};
      accounts uuid[];
      account uuid;
    begin
      with booked as (
        insert into data.ai_ledger
          select t, p_reservation, p_entry, l.account_id, p_kind, -p_freed, p_spent, p_overrun, p_doubtful, l.of_plan,
            case when l.of_plan then p_tokens[1] else 0 end, case when l.of_plan then p_tokens[2] else 0 end,
            case when l.of_plan then p_tokens[3] else 0 end, p_at
          from data.ai_ledger l
          where l.tenant_id = t and l.reservation_id = p_reservation and l.entry = 'reserve'
        returning account_id)
      select array_agg(account_id order by account_id) into accounts from booked;
      if p_freed = 0 and p_spent = 0 then
        return accounts;
      end if;
      foreach account in array accounts loop
        update data.ai_accounts set held_micros = held_micros - p_freed, spent_micros = spent_micros + p_spent,
            overrun_micros = overrun_micros + p_overrun, changed_at = p_at,
            excess_micros = case when hard_stop
              then greatest(0, held_micros - p_freed + spent_micros + p_spent - limit_micros) else 0 end
          where tenant_id = t and id = account;
      end loop;
      return accounts;
    end $$`);
  await runner.query(`
    create function data.ai_settle(p_reservation uuid, p_call uuid, p_micros bigint, p_tokens bigint[],
        p_doubtful boolean, p_at timestamptz, out replayed boolean, out overrun bigint, out accounts uuid[])
      language plpgsql set search_path = pg_catalog as $$
    declare
      t constant uuid := ${TENANT};
      r data.ai_reservations;
      freed bigint;
    begin
      select * into strict r from data.ai_reservations where tenant_id = t and id = p_reservation for update;
      select true, l.overrun_delta into replayed, overrun from data.ai_ledger l
        where l.tenant_id = t and l.reservation_id = p_reservation and l.entry = p_call::text and l.of_plan;
      if replayed then
        return;
      end if;
      replayed := false;
      freed := least(r.held_micros, p_micros);
      overrun := p_micros - freed;
      update data.ai_reservations set held_micros = held_micros - freed, spent_micros = spent_micros + p_micros,
          overrun_micros = overrun_micros + overrun
        where tenant_id = t and id = p_reservation;
      accounts := data.ai_book(p_reservation, p_call::text, 'settle', freed, p_micros, overrun, p_doubtful, p_tokens, p_at);
    end $$`);
}

/** Gives back what is held: all but a part, or all of it for good. */
async function lower(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create function data.ai_lower(p_reservation uuid, p_to bigint, p_at timestamptz) returns void
      language plpgsql set search_path = pg_catalog as $$
    declare
      t constant uuid := ${TENANT};
      r data.ai_reservations;
      freed bigint;
    begin
      select * into strict r from data.ai_reservations where tenant_id = t and id = p_reservation for update;
      freed := least(r.held_micros, r.reserved_micros - p_to);
      if freed <= 0 then
        return;
      end if;
      update data.ai_reservations set held_micros = held_micros - freed, reserved_micros = reserved_micros - freed
        where tenant_id = t and id = p_reservation;
      perform data.ai_book(p_reservation, 'lower:' || p_to, 'lower', freed, 0, 0, false, array[0, 0, 0]::bigint[], p_at);
    end $$`);
  await runner.query(`
    create function data.ai_release(p_reservation uuid, p_at timestamptz) returns void
      language plpgsql set search_path = pg_catalog as $$
    declare
      t constant uuid := ${TENANT};
      r data.ai_reservations;
    begin
      select * into strict r from data.ai_reservations where tenant_id = t and id = p_reservation for update;
      if r.state = 'released' then
        return;
      end if;
      update data.ai_reservations set held_micros = 0, state = 'released' where tenant_id = t and id = p_reservation;
      if r.held_micros > 0 then
        perform data.ai_book(p_reservation, 'release', 'release', r.held_micros, 0, 0, false, array[0, 0, 0]::bigint[],
          p_at);
      end if;
    end $$`);
  // A new limit holds for the period that runs. What it has no room for any more stays: nothing new is let in.
  await runner.query(`
    create function data.ai_limit(p_budget uuid, p_from date, p_limit bigint, p_soft bigint, p_hard boolean,
        p_at timestamptz) returns uuid[]
      language sql set search_path = pg_catalog as $$
      with changed as (
        update data.ai_accounts set limit_micros = p_limit, soft_limit_micros = p_soft, hard_stop = p_hard,
            changed_at = p_at,
            excess_micros = case when p_hard then greatest(0, held_micros + spent_micros - p_limit) else 0 end,
            soft_reached_at = case when spent_micros >= p_soft then soft_reached_at end,
            exhausted_at = case when p_limit <= limit_micros and p_hard = hard_stop then exhausted_at end
          where tenant_id = ${TENANT} and kind = 'budget' and subject_id = p_budget and period_start >= p_from
          returning id)
      select array_agg(id) from changed $$`);
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
