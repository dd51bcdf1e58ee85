create or replace function data.ai_lower(p_reservation uuid, p_to bigint, p_at timestamp with time zone)
  returns void
  language plpgsql
  set search_path = pg_catalog
as $$
declare
  t constant uuid := current_setting('app.tenant_id')::uuid;
  r data.ai_reservations;
  freed bigint;
begin
  select * into strict r from data.ai_reservations where tenant_id = t and id = p_reservation for update;
  freed := least(r.held_micros, r.reserved_micros - p_to);
  if freed <= 0 then
    return;
  end if;
  update data.ai_reservations set held_micros = held_micros - freed, reserved_micros = reserved_micros - freed
    where tenant_id = t and id = p_reservation;
  perform data.ai_book(p_reservation, 'lower:' || p_to, 'lower', freed, 0, 0, false, array[0, 0, 0]::bigint[], p_at);
end
$$;
