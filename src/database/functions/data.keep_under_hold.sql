create or replace function data.keep_under_hold()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
declare
  before jsonb;
  after jsonb;
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('legal_hold:' || old.tenant_id, 0));
  if not data.has_holds(old.tenant_id) then return null; end if;
  before := to_jsonb(old);
  after := to_jsonb(new);
  if not exists (
    select from jsonb_each_text(before - 'updated_by') b
      where b.value is distinct from (after ->> b.key) and b.value ~ '[0-9a-f]{8}-') then return null; end if;
  insert into data.legal_hold_ids (tenant_id, hold_id, named_id)
    select old.tenant_id, h.id, old.id from (
      select id from data.holds_naming(old.tenant_id, before)
      except select id from data.holds_naming(old.tenant_id, after)) h
    on conflict do nothing;
  return null;
end
$$;
