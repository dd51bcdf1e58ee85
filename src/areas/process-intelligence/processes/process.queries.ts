import { MOST_VARIANTS } from './process.dto.js';

const step = (side: 'from' | 'to') =>
  `m.${side}_state || coalesce('/' || nullif(m.${side}_stage, m.${side}_state), '')`;
const durations = (value: string) => `jsonb_build_object(
  'p50Seconds', percentile_disc(0.5) within group (order by ${value}),
  'p90Seconds', percentile_disc(0.9) within group (order by ${value}), 'meanSeconds', round(avg(${value})))`;

/**
 * The moves of the records created between two days (`$2`, `$3`, both included), numbered per record. `$4` is the type,
 * `$5` the closed states. Changes that leave both state and stage as they were are not moves.
 */
export function tracesOf(table: string, condition: string): string {
  return `
  with born as materialized (
    select t.id, t.created_at from ${table} t
    where t.tenant_id = $1 and t.deleted_at is null and t.created_at >= $2::date and t.created_at < $3::date + 1
      and (${condition})),
  moves as materialized (
    select m.record_id, m.action, m.occurred_at, m.seconds_in_from_state as seconds, ${step('from')} as "from",
      ${step('to')} as "to", m.to_state = any($5::text[]) as closes,
      row_number() over one as n, row_number() over (partition by m.record_id order by m.occurred_at desc, m.id desc) = 1 as is_last
    from data.record_transitions m join born on born.id = m.record_id
    where m.tenant_id = $1 and m.object = $4
      and (m.from_state, m.from_stage) is distinct from (m.to_state, m.to_stage)
    window one as (partition by m.record_id order by m.occurred_at, m.id)),
  -- A return enters a step that the record has left before.
  returns as (
    select m.record_id, m."from", m."to", m.n,
      extract(epoch from m.occurred_at - max(e.occurred_at))::bigint as lost
    from moves m join moves e on e.record_id = m.record_id and e."from" = m."to" and e.n < m.n
    group by m.record_id, m."from", m."to", m.n, m.occurred_at),
  cases as (
    select record_id, array_agg("from" order by n) filter (where n = 1) || array_agg("to" order by n) as path,
      sum(seconds)::bigint as seconds, bool_or(closes) filter (where is_last) as finished,
      max("to") filter (where is_last) as current, exists (select 1 from returns r where r.record_id = m.record_id) as reworked
    from moves m group by record_id),
  variants as (
    select *, left(encode(sha256(convert_to(array_to_string(path, '>'), 'UTF8')), 'hex'), 16) as key from cases),
  totals as (
    select (select count(*) from cases) as cases,
      (select count(*) from born) - (select count(*) from cases) as unmoved)`;
}

export const GRAPH = `
  , visits as (
    select record_id, "from" as step, true as starts, seconds as stay from moves where n = 1
    union all
    select m.record_id, m."to", false, next.seconds
    from moves m left join moves next on next.record_id = m.record_id and next.n = m.n + 1),
  nodes as (
    select step, count(*) as visits, count(distinct record_id) as cases, count(*) filter (where starts) as starts,
      (select count(*) from cases c where c.current = v.step) as current,
      case when count(stay) > 0 then ${durations('stay')} end as stay
    from visits v group by step),
  edges as (
    select "from", "to", array_agg(distinct action) as actions, count(*) as count, count(distinct record_id) as cases,
      ${durations('seconds')} as wait, max(seconds) as "maxSeconds"
    from moves group by "from", "to")
  select cases, unmoved, (select count(*) from moves) as moves,
    (select case when count(*) > 0 then ${durations('seconds')} end from cases) as duration,
    coalesce((select jsonb_agg(to_jsonb(nodes) order by visits desc, step) from nodes), '[]') as nodes,
    coalesce((select jsonb_agg(to_jsonb(edges) order by count desc, "from", "to") from edges), '[]') as edges
  from totals`;

export const VARIANTS = `
  , paths as (
    select key, path, count(*) as cases, round(100.0 * count(*) / (select cases from totals), 3)::float8 as "sharePercent",
      bool_and(finished) as finished, ${durations('seconds')} as duration
    from variants group by key, path order by count(*) desc, key limit ${MOST_VARIANTS})
  select cases, unmoved, (select count(distinct key) from variants) as variants,
    coalesce((select jsonb_agg(to_jsonb(paths) order by cases desc, key) from paths), '[]') as data
  from totals`;

/** `$6` is now. */
export const BOTTLENECKS = `
  , done as (
    select "from" as step, count(*) as stays, sum(seconds)::bigint as total,
      percentile_disc(0.5) within group (order by seconds) as p50,
      percentile_disc(0.9) within group (order by seconds) as p90
    from moves group by "from"),
  waiting as (
    select "to" as step, count(*) as waiting,
      sum(greatest(0, floor(extract(epoch from $6::timestamptz - occurred_at))))::bigint as total
    from moves where is_last and not closes group by "to"),
  spent as (
    select step, coalesce(stays, 0) as stays, coalesce(d.total, 0) as "totalSeconds",
      coalesce(waiting, 0) as waiting, coalesce(w.total, 0) as "waitingSeconds", p50 as "p50Seconds", p90 as "p90Seconds"
    from done d full join waiting w using (step)),
  steps as (
    select *, "totalSeconds" + "waitingSeconds" as "allSeconds", coalesce(round(100.0 * ("totalSeconds" + "waitingSeconds")
      / nullif(sum("totalSeconds" + "waitingSeconds") over (), 0), 3), 0)::float8 as "sharePercent"
    from spent)
  select cases, unmoved,
    coalesce((select jsonb_agg(to_jsonb(steps) order by "allSeconds" desc, step) from steps), '[]') as data
  from totals`;

export const REWORK = `
  , loops as (
    select "from", "to", count(*) as count, count(distinct record_id) as cases, sum(lost)::bigint as "lostSeconds"
    from returns group by "from", "to")
  select cases, unmoved, (select count(*) from cases where reworked) as "reworkedCases",
    coalesce((select round(100.0 * count(*) filter (where reworked) / nullif(count(*), 0), 3)::float8 from cases), 0)
      as "reworkPercent",
    coalesce((select jsonb_agg(to_jsonb(loops) order by "lostSeconds" desc, "from", "to") from loops), '[]') as data
  from totals`;

/** `$6` to `$8` are the filters, `$9` and `$10` the last case of the previous page, `$11` the number of rows. */
export const CASES = `
  select v.record_id as id, born.created_at as "createdAt", v.key as variant, v.path, v.finished, v.reworked,
    v.seconds as "durationSeconds"
  from variants v join born on born.id = v.record_id
  where ($6::text is null or v.key = $6) and ($7::text is null or v.current = $7)
    and ($8::boolean is null or v.reworked = $8)
    and ($9::timestamptz is null or (born.created_at, born.id) < ($9::timestamptz, $10::uuid))
  order by born.created_at desc, born.id desc limit $11`;
