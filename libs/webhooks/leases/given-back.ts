/**
 * SQL: a queue entry `q` whose lease ends without an attempt is due. A first attempt keeps its previous position in its
 * lane; otherwise workers that keep dying would never reach the deliveries that they had leased first. Retries wait
 * behind new ones.
 */
export const GIVEN_BACK = `lease_token = null, leased_until = null, direct = false,
  due_at = case when q.retry or q.cause <> 'schedule' then now() else q.due_at end`;
