create or replace function data.ai_account(p_kind text, p_subject uuid, p_period text, p_day date, p_at timestamp with time zone)
  returns uuid
  language plpgsql
  set search_path = pg_catalog
as $$
declare
  t constant uuid := current_setting('app.tenant_id')::uuid;
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
end
$$;
