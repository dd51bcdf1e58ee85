create or replace function data.ai_exhaust(p_kind text, p_subject uuid, p_period text, p_start date, p_at timestamp with time zone)
  returns void
  language plpgsql
  set search_path = pg_catalog
as $$
declare
  account constant uuid := data.ai_account(p_kind, p_subject, p_period, p_start, p_at);
begin
  update data.ai_accounts set exhausted_at = p_at
    where tenant_id = current_setting('app.tenant_id')::uuid and id = account and exhausted_at is null;
  if not found then
    raise exception 'it is told already' using errcode = 'TOP12';
  end if;
end
$$;
