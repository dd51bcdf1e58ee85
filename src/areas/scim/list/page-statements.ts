import { statement, type Statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';

/** The resources of a page. */
export interface Hits {
  ids: string[];
  /** Sequence number of each resource in creation order. */
  seqs: number[];
  /** Number of resources on all pages. */
  total: number;
}

interface Place {
  schema: { name: string };
  from: string;
  alias: string;
}

interface Condition {
  sql: string;
  /** Starts with the tenant's id. */
  values: unknown[];
}

/** Number of sequence numbers that one row of data.scim_blocks covers. `Source:` migration 1763700000021. */
const BLOCK = 512;

const TOTAL = `(select coalesce(sum(live), 0)::int from data.scim_blocks where tenant_id = $1 and resource = $2)`;
/** The first block with which the `counted` blocks reach a number of resources; the last block if they never do. */
const reaching = (wanted: string): string => `coalesce(min(block) filter (where upto >= ${wanted}), max(block))`;
const PAGE = `coalesce(array_agg(page.id order by page.place), '{}') as ids,
  coalesce(array_agg(page.seq::float8 order by page.place), '{}') as seqs`;

/**
 * A page of all resources by index: the preceding blocks are added up, and only the rest is skipped row by row. The
 * blocks also give an upper bound, so that a plan that sorts first has little to read: all tenants share one plan,
 * which is chosen for small tenants if most of them are small.
 */
export function anywhere({ schema, from, alias }: Place, offset: number, limit: number): Statement {
  const text = `
    with counted as materialized (
      select block, live, sum(live) over (order by block) as upto from data.scim_blocks
      where tenant_id = $1 and resource = $2),
    first as materialized (select block, upto - live as passed from counted where upto > $3 order by block limit 1),
    last as materialized (select ${reaching('$3 + $4')} as block from counted),
    page as (
      select ${alias}.id, ${alias}.seq, ${alias}.seq as place from ${from}
      where ${alias}.tenant_id = $1 and ${alias}.deleted_at is null and ${alias}.seq >= (select block from first) * ${BLOCK}
        and ${alias}.seq < (select block + 1 from last) * ${BLOCK}
      order by ${alias}.seq offset $3 - (select passed from first) limit $4)
    select ${PAGE}, ${TOTAL} as total from page`;
  return statement(text, [currentTenant().id, resourceOf(schema), offset, limit]);
}

/** A page of filtered resources in a requested order. Not prepared, because the text depends on the request. */
export function selection(
  { schema, from, alias }: Place,
  given: { filter: Condition | null; order: string | null; offset: number; limit: number },
): Statement {
  const values = given.filter?.values ?? [currentTenant().id];
  const where = matching(alias, given.filter);
  const order = given.order === null ? `${alias}.seq` : `${given.order}, ${alias}.seq`;
  const total = given.filter ? `(select count(*)::int from ${from} where ${where})` : TOTAL;
  if (!given.filter) values.push(resourceOf(schema));
  const [offset, limit] = [given.offset, given.limit].map((value) => `$${values.push(value)}`);
  const text = `
    with page as (
      select ${alias}.id, ${alias}.seq, row_number() over (order by ${order}) as place from ${from}
      where ${where} order by ${order} offset ${offset}::bigint limit ${limit}::bigint)
    select ${PAGE}, ${total} as total from page`;
  return { text, values };
}

/** The resources after `seq`. The blocks give an upper bound, as in {@link anywhere}. */
export function after({ schema, from, alias }: Place, seq: number, limit: number): Statement {
  const text = `
    with counted as materialized (
      select block, sum(live) over (order by block) as upto from data.scim_blocks
      where tenant_id = $1 and resource = $2 and block > $3::bigint / ${BLOCK}),
    last as materialized (select coalesce(${reaching('$4')}, $3::bigint / ${BLOCK}) as block from counted),
    page as (
      select ${alias}.id, ${alias}.seq, ${alias}.seq as place from ${from}
      where ${alias}.tenant_id = $1 and ${alias}.deleted_at is null and ${alias}.seq > $3::bigint
        and ${alias}.seq < (select block + 1 from last) * ${BLOCK} order by ${alias}.seq limit $4)
    select ${PAGE}, ${TOTAL} as total from page`;
  return statement(text, [currentTenant().id, resourceOf(schema), seq, limit]);
}

/** Like {@link after}, with a filter. */
export function onwards({ from, alias }: Place, filter: Condition, seq: number, limit: number): Statement {
  const { values } = filter;
  const where = matching(alias, filter);
  const [passed, most] = [seq, limit].map((value) => `$${values.push(value)}`);
  const text = `
    with page as (
      select ${alias}.id, ${alias}.seq, ${alias}.seq as place from ${from}
      where ${where} and ${alias}.seq > ${passed}::bigint order by ${alias}.seq limit ${most}::bigint)
    select ${PAGE}, (select count(*)::int from ${from} where ${where}) as total from page`;
  return { text, values };
}

/** The name of a resource type in data.scim_blocks. */
function resourceOf({ name }: Place['schema']): string {
  return name.toLowerCase();
}

/**
 * The subquery hides the tenant from the planner. If its statistics know a tenant with a single row that a provider has
 * filled since, the planner still expects one row; a scan over all rows then looks as cheap as a key lookup.
 */
function matching(alias: string, filter: Condition | null): string {
  return `${alias}.tenant_id = (select $1::uuid) and ${alias}.deleted_at is null${filter ? ` and ${filter.sql}` : ''}`;
}
