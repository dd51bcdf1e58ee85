create or replace function data.guard_ai_prompt()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  if new.prompt_version not in (old.prompt_version, old.prompt_version + 1) or not exists (
      select 1 from data.ai_prompt_versions v where v.tenant_id = new.tenant_id and v.prompt_id = new.id
        and v.prompt_version = new.prompt_version and v.template is not distinct from new.template and v.variables is not distinct from new.variables and v.commit_note is not distinct from new.commit_note) then
    raise exception 'a prompt shows its newest version' using errcode = '23514';
  end if;
  if new.deleted_at is not null and old.deleted_at is null and exists (
      select 1 from data.ai_prompt_uses u where u.tenant_id = new.tenant_id and u.prompt_id = new.id) then
    raise exception 'a prompt that a job has used stays'
      using errcode = '23514', constraint = 'ai_prompts_used_check';
  end if;
  return null;
end
$$;
