/**
 * What becomes of an entry `q` of the queue whose lease ends without an attempt: it is due, and a first attempt has its old
 * place in its lane, not the last one. The lease has taken the place of the time at which it was due, but its id has that
 * of the event: otherwise workers that die again and again would never get to those that they had leased first.
 */
export const GIVEN_BACK = `lease_token = null, due_at = case when q.retry or q.cause <> 'schedule' then now()
  else least(now(), to_timestamp(('x' || translate(left(q.delivery_id::text, 13), '-', ''))::bit(48)::bigint / 1000.0)) end`;
