create or replace function data.ai_reserve(p_id uuid, p_job uuid, p_micros bigint, p_scope jsonb, p_plan_limit bigint, p_agent_limit bigint, p_day date, p_at timestamp with time zone, p_expires timestamp with time zone)
  returns void
  language plpgsql
  set search_path = pg_catalog
as $$
declare
  t constant uuid := current_setting('app.tenant_id')::uuid;
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
end
$$;
