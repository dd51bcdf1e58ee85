import { statement } from '#libs/database/statement.js';

/*
 * The worker's statements are planned once, for tables that fill and empty: what was empty when it was last analysed looks
 * so to the planner when it is full. What is true of these plans whatever there is has to be said.
 */
const planner = (settings: Record<string, string>): string => `select ${setting(settings)}`;

/** SQL: values of a select that set settings until the end of the transaction. */
export function setting(settings: Record<string, string>): string {
  return Object.entries(settings)
    .map(([name, value]) => `set_config('${name}', '${value}', true)`)
    .join(', ');
}

/** Settings under which {@link ALONG_INDEX} has statements planned. No row is kept for a key that comes once. */
export const INDEX_ORDER = {
  enable_memoize: 'off',
  enable_sort: 'off',
  enable_incremental_sort: 'off',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
};
const ANY_ORDER = Object.fromEntries(Object.keys(INDEX_ORDER).map((name) => [name, 'on']));

/**
 * Has the statements that follow in the transaction planned each time they are run. On a table that was empty all its indexes
 * cost the same, so that a look by key may go to one that knows the tenant alone.
 */
export const PLAN_EACH_TIME = statement(planner({ plan_cache_mode: 'force_custom_plan' }));

/** Has them planned once again, as the worker's role has it. */
export const PLAN_ONCE = statement(planner({ plan_cache_mode: 'force_generic_plan' }));

/**
 * Has them read along an index that has the order asked for: the first of many rows are not to be had by sorting all. The
 * order names every column of that index, or another one may be as good in an empty partition.
 */
export const ALONG_INDEX = statement(planner(INDEX_ORDER));

/** Has entries of the queue looked up by their key, and not the whole table read because it looks short. */
export const BY_KEY = statement(planner({ enable_seqscan: 'off' }));

/** Has lists joined by hash: of two that look short, one is not gone through for each entry of the other. */
export const BY_HASH = statement(planner({ enable_nestloop: 'off' }));

/** Has what follows {@link ALONG_INDEX} or {@link BY_HASH} read in any way again. */
export const ANY_WAY = statement(planner({ ...ANY_ORDER, enable_nestloop: 'on' }));
