import type { QueryRunner } from 'typeorm';
import { migrationRoles } from '#libs/database/tenant-table.js';

const TENANT = `current_setting('app.tenant_id')::uuid`;
/** What is called by those who log in; each writes counters and ledger together. */
const FUNCTIONS = [
  'ai_period_start',
  'ai_account',
  'ai_reserve',
  'ai_exhaust',
  'ai_book',
  'ai_settle',
  'ai_lower',
  'ai_release',
  'ai_limit',
];

/** Makes the functions that change counters of AI budgets. */
export async function moneyFunctions(runner: QueryRunner): Promise<void> {
  await openAccount(runner);
  await reserve(runner);
  await settle(runner);
  await lower(runner);
  const { app, system } = migrationRoles();
  const names = FUNCTIONS.map((name) => `data.${name}`).join(', ');
  await runner.query(`grant execute on function ${names} to ${app}, ${system}`);
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
