create or replace function data.refuse_payment_change()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  if new.status = 'pending' or (new.direction, new.amount_minor, new.currency, new.exchange_rate, new.provider_name, new.provider_id, new.settled_at) is distinct from (old.direction, old.amount_minor, old.currency, old.exchange_rate, old.provider_name, old.provider_id, old.settled_at) then
    raise exception 'the record % is final', old.reference using errcode = 'TOP05';
  end if;
  return new;
end
$$;
