create or replace function data.ai_settle(p_reservation uuid, p_call uuid, p_micros bigint, p_tokens bigint[], p_doubtful boolean, p_at timestamp with time zone, OUT replayed boolean, OUT overrun bigint, OUT accounts uuid[])
  returns record
  language plpgsql
  set search_path = pg_catalog
as $$
declare
  t constant uuid := current_setting('app.tenant_id')::uuid;
  r data.ai_reservations;
  freed bigint;
begin
  select * into strict r from data.ai_reservations where tenant_id = t and id = p_reservation for update;
  select true, l.overrun_delta into replayed, overrun from data.ai_ledger l
    where l.tenant_id = t and l.reservation_id = p_reservation and l.entry = p_call::text and l.of_plan;
  if replayed then
    return;
  end if;
  replayed := false;
  freed := least(r.held_micros, p_micros);
  overrun := p_micros - freed;
  update data.ai_reservations set held_micros = held_micros - freed, spent_micros = spent_micros + p_micros,
      overrun_micros = overrun_micros + overrun
    where tenant_id = t and id = p_reservation;
  accounts := data.ai_book(p_reservation, p_call::text, 'settle', freed, p_micros, overrun, p_doubtful, p_tokens, p_at);
end
$$;
