/**
 * SQL: what happens to a queue entry `q` whose lease ends without an attempt: it is due. A first attempt keeps its old
 * position in its lane, or workers that keep dying would never get to what they had leased first. Retries wait behind
 * new ones.
 */
export const GIVEN_BACK = `lease_token = null, leased_until = null, direct = false,
  due_at = case when q.retry or q.cause <> 'schedule' then now() else q.due_at end`;
