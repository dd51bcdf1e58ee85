create or replace function data.ai_limit(p_budget uuid, p_from date, p_limit bigint, p_soft bigint, p_hard boolean, p_at timestamp with time zone)
  returns uuid[]
  language sql
  set search_path = pg_catalog
as $$
with changed as (
  update data.ai_accounts set limit_micros = p_limit, soft_limit_micros = p_soft, hard_stop = p_hard,
      changed_at = p_at,
      excess_micros = case when p_hard then greatest(0, held_micros + spent_micros - p_limit) else 0 end,
      soft_reached_at = case when spent_micros >= p_soft then soft_reached_at end,
      exhausted_at = case when p_limit <= limit_micros and p_hard = hard_stop then exhausted_at end
    where tenant_id = current_setting('app.tenant_id')::uuid and kind = 'budget' and subject_id = p_budget and period_start >= p_from
    returning id)
select array_agg(id) from changed
$$;
