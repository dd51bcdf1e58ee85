import { exactSum } from '#libs/database/exact-sum.js';
import type { Statement } from '#libs/database/statement.js';
import type { Table } from '#libs/resource/lists/table.js';
import type { SettingsValues } from '#libs/settings/settings.model.js';
import type { Aggregate, Bucket } from './question.js';
import type { ReportField } from './report-fields.js';
import type { PlannedDimension, ReportPlan } from './report-plan.js';

/** The calendar of the periods. */
export type ReportCalendar = Pick<SettingsValues['general'], 'timezone' | 'weekStart'>;

/** A row of the statement: values as `d0`, ..., `m0`, ...; bounds of periods as `f0`, `u0`, ... */
export type ReportRecord = Record<string, string | number | boolean | null>;

type Add = (value: unknown) => string;

const INTERVALS: Record<Bucket, string> = {
  day: '1 day',
  week: '7 days',
  month: '1 month',
  quarter: '3 months',
  year: '1 year',
};
/** PostgreSQL's weeks begin on Monday; so many days earlier begin those of tenants. */
const WEEK_SHIFTS: Record<ReportCalendar['weekStart'], number> = { monday: 0, sunday: 1, saturday: 2 };
const DECIMALS = 6;

/**
 * The statement of a report. Its text consists of fixed SQL, and quoted columns and expressions of the declaration;
 * everything that callers send is a parameter. The list's own conditions select the records. It has one row more than
 * `maxRows` if there are more groups.
 */
export function reportStatement(
  { resource, request, dimensions, measures, order, maxRows }: ReportPlan,
  table: Table,
  { tenantId, calendar }: { tenantId: string; calendar: ReportCalendar },
): Statement {
  const values: unknown[] = [tenantId];
  const add: Add = (value) => `$${values.push(value)}`;
  const { list } = resource.definition;
  const conditions = [
    table.listed(request, list, resource.service.visible())(add),
    ...(request.q === null ? [] : [table.filtered({ ...request, filters: [] }, list)(add)]),
  ];
  const sqlOf = ({ sql }: ReportField) => sql.replaceAll(':now', () => `${add(request.now)}::timestamptz`);
  const groups = [
    ...dimensions.map((dimension, i) => `${groupOf(dimension, sqlOf(dimension.field), calendar, add)} as d${i}`),
    ...measures.map(({ aggregate, field }, i) => {
      return `${field === null ? 'count(*)' : figureOf(aggregate, field, sqlOf(field))} as m${i}`;
    }),
  ];
  const by = dimensions.length > 0 ? ` group by ${dimensions.map((_, i) => i + 1).join(', ')}` : '';
  const bounds = dimensions.flatMap((dimension, i) => boundsOf(dimension, i, calendar, add));
  const names = [...dimensions.map((_, i) => `d${i}`), ...measures.map((_, i) => `m${i}`)];
  const terms = [
    ...order.map(({ column, descending }) => `${names[column]}${descending ? ' desc' : ''} nulls last`),
    ...dimensions.map((_, i) => `d${i} nulls last`),
  ];
  const text =
    `with groups as (select ${groups.join(', ')} from ${table.name} t where ${conditions.join(' and ')}${by})` +
    ` select ${['*', ...bounds].join(', ')} from groups` +
    `${terms.length > 0 ? ` order by ${terms.join(', ')}` : ''} limit ${add(maxRows + 1)}`;
  return { text, values };
}

function groupOf(
  { field: { kind }, bucket }: PlannedDimension,
  sql: string,
  calendar: ReportCalendar,
  add: Add,
): string {
  if (bucket === null) return kind === 'number' ? `${sql}::float8` : sql;
  const local = kind === 'instant' ? `(${sql} at time zone ${add(calendar.timezone)}::text)` : `${sql}::timestamp`;
  const shift = bucket === 'week' ? WEEK_SHIFTS[calendar.weekStart] : 0;
  if (shift === 0) return `date_trunc('${bucket}', ${local})::date`;
  return `(date_trunc('${bucket}', ${local} + interval '${shift} days') - interval '${shift} days')::date`;
}

/** The first instant and the end of a period, or its first and last date. */
function boundsOf(
  { field: { kind }, bucket }: PlannedDimension,
  index: number,
  { timezone }: ReportCalendar,
  add: Add,
): string[] {
  if (bucket === null) return [];
  const next = `(d${index} + interval '${INTERVALS[bucket]}')`;
  if (kind === 'date') return [`d${index} as f${index}`, `(${next} - interval '1 day')::date as u${index}`];
  const zone = add(timezone);
  return [
    `(d${index}::timestamp at time zone ${zone}::text) as f${index}`,
    `(${next} at time zone ${zone}::text) as u${index}`,
  ];
}

function figureOf(aggregate: Aggregate, { kind }: ReportField, sql: string): string {
  const asNumber = kind === 'number' ? '::float8' : '';
  switch (aggregate) {
    case 'count':
      return 'count(*)';
    case 'sum':
      return kind === 'number' ? `sum(${sql})::float8` : exactSum(`sum(${sql})`);
    case 'avg':
      return `round(avg(${sql}), ${DECIMALS})::float8`;
    case 'median':
      return `percentile_cont(0.5) within group (order by ${sql})`;
    case 'min':
      return `min(${sql})${asNumber}`;
    case 'max':
      return `max(${sql})${asNumber}`;
    case 'count_distinct':
      return `count(distinct ${sql})`;
  }
}
