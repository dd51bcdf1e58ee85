/**
 * SQL: what becomes of an entry `q` of the queue whose lease ends without an attempt: it is due, a first attempt in its old
 * place in its lane, or workers that die again and again would never get to those that they had leased first. What has
 * failed before waits behind what is new.
 */
export const GIVEN_BACK = `lease_token = null, leased_until = null, direct = false,
  due_at = case when q.retry or q.cause <> 'schedule' then now() else q.due_at end`;
