import { statement } from '#libs/database/statement.js';

/*
 * The worker's statements are planned once, for tables that fill and empty: to the planner, a table that was empty when
 * last analysed looks empty when it is full. So the statements force plans that work in both cases.
 */
const planner = (settings: Record<string, string>): string => `select ${setting(settings)}`;

/** SQL: select values that change settings until the end of the transaction. */
export function setting(settings: Record<string, string>): string {
  return Object.entries(settings)
    .map(([name, value]) => `set_config('${name}', '${value}', true)`)
    .join(', ');
}

/** Settings of {@link ALONG_INDEX}. Without memoize, because each key occurs once. */
export const INDEX_ORDER = {
  enable_memoize: 'off',
  enable_sort: 'off',
  enable_incremental_sort: 'off',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
};
const ANY_ORDER = Object.fromEntries(Object.keys(INDEX_ORDER).map((name) => [name, 'on']));

/**
 * Plans the following statements of the transaction each time they run. For a table that seems empty all indexes cost
 * the same, so a lookup by key might use one on the tenant only.
 */
export const PLAN_EACH_TIME = statement(planner({ plan_cache_mode: 'force_custom_plan' }));

/** Restores generic plans, the default of the worker's role. */
export const PLAN_ONCE = statement(planner({ plan_cache_mode: 'force_generic_plan' }));

/**
 * Forces reading along the index with the requested order, instead of sorting all rows for the first few. The order
 * must name every column of that index; otherwise another index may seem as good in an empty partition.
 */
export const ALONG_INDEX = statement(planner(INDEX_ORDER));

/** Forces lookups of queue entries by key, instead of a scan of the whole table, which looks short. */
export const BY_KEY = statement(planner({ enable_seqscan: 'off' }));

/** Forces hash joins of lists, instead of nested loops, because the lists look short. */
export const BY_HASH = statement(planner({ enable_nestloop: 'off' }));

/** Ends the effect of {@link ALONG_INDEX} or {@link BY_HASH}. */
export const ANY_WAY = statement(planner({ ...ANY_ORDER, enable_nestloop: 'on' }));
