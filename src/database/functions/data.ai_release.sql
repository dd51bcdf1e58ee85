create or replace function data.ai_release(p_reservation uuid, p_at timestamp with time zone)
  returns void
  language plpgsql
  set search_path = pg_catalog
as $$
declare
  t constant uuid := current_setting('app.tenant_id')::uuid;
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
end
$$;
