create or replace function data.ai_book(p_reservation uuid, p_entry text, p_kind text, p_freed bigint, p_spent bigint, p_overrun bigint, p_doubtful boolean, p_tokens bigint[], p_at timestamp with time zone)
  returns uuid[]
  language plpgsql
  set search_path = pg_catalog
as $$
declare
  t constant uuid := current_setting('app.tenant_id')::uuid;
  accounts uuid[];
  account uuid;
begin
  with booked as (
    insert into data.ai_ledger
      select t, p_reservation, p_entry, l.account_id, p_kind, -p_freed, p_spent, p_overrun, p_doubtful, l.of_plan,
        case when l.of_plan then p_tokens[1] else 0 end, case when l.of_plan then p_tokens[2] else 0 end,
        case when l.of_plan then p_tokens[3] else 0 end, p_at
      from data.ai_ledger l
      where l.tenant_id = t and l.reservation_id = p_reservation and l.entry = 'reserve'
    returning account_id)
  select array_agg(account_id order by account_id) into accounts from booked;
  if p_freed = 0 and p_spent = 0 then
    return accounts;
  end if;
  foreach account in array accounts loop
    update data.ai_accounts set held_micros = held_micros - p_freed, spent_micros = spent_micros + p_spent,
        overrun_micros = overrun_micros + p_overrun, changed_at = p_at,
        excess_micros = case when hard_stop
          then greatest(0, held_micros - p_freed + spent_micros + p_spent - limit_micros) else 0 end
      where tenant_id = t and id = account;
  end loop;
  return accounts;
end
$$;
