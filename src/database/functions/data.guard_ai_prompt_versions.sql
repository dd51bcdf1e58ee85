create or replace function data.guard_ai_prompt_versions()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  if tg_op = 'DELETE' and not exists (
      select from data.ai_prompts p where p.tenant_id = old.tenant_id and p.id = old.prompt_id) then
    return old;
  end if;
  raise exception 'versions of prompts never change' using errcode = '23514';
end
$$;
