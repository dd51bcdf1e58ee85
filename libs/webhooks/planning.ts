import { statement } from '#libs/database/statement.js';

/*
 * The worker's statements are planned once. On a table that was empty when it was last vacuumed all its indexes cost the same,
 * so that a look by key may go to one that knows the tenant alone; what looks up many keys in tables that fill and empty has
 * to be planned each time.
 */
const mode = (name: string) => `select set_config('plan_cache_mode', '${name}', true)`;

/** Has the statements that follow in the transaction planned each time they are run. */
export const PLAN_EACH_TIME = statement(mode('force_custom_plan'));

/** Has them planned once again, as the worker's role has it. */
export const PLAN_ONCE = statement(mode('force_generic_plan'));
