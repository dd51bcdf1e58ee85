create or replace function directory.bump_own_epoch()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  if new.epoch = old.epoch then new.epoch := old.epoch + 1; end if;
  return new;
end
$$;
