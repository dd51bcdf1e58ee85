/** What becomes of an entry of the queue whose lease ends without an attempt: it is due, in its old place in its lane. */
export const GIVEN_BACK = `lease_token = null, leased_until = null`;
