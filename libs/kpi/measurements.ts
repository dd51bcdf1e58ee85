import { Injectable } from '@nestjs/common';
import type { EntityClass } from '#libs/database/data-source.js';
import { Database } from '#libs/database/database.js';
import { exactSum } from '#libs/database/exact-sum.js';
import { statement } from '#libs/database/statement.js';
import { toListRequest } from '#libs/resource/lists/list-query.js';
import { Table } from '#libs/resource/lists/table.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { hasHistory, TOKENS } from './metric.js';
import type { CataloguedMetric } from './metric-catalogue.js';
import type { Window } from './period.js';

/** A metric measured over a period. */
export interface Measurement {
  /** Number of counted items. */
  sample: number;
  /** Null for amounts, and without items. */
  value: number | null;
  /** For amounts, by currency; the sum is null if a JSON number cannot represent it exactly. */
  amounts: { currency: string; minor: number | null }[];
}

/** What is measured. */
export interface MeasuringOrder {
  metrics: readonly CataloguedMetric[];
  /** The current period comes first. Metrics of the current state are measured for that one only. */
  windows: readonly Window[];
  /** Only items in one of these workspaces; null for all. */
  workspaceIds: readonly string[] | null;
  now: string;
  /** The current day of the tenant. */
  today: string;
}

/** What stands for a point in time in the SQL. */
type Moments = Readonly<Record<':now' | ':today', () => string>>;

interface Row {
  metric: string;
  window: number;
  sample: number;
  value: number | null;
  currency: string | null;
  minor: number | null;
}

const measuring = (selects: readonly string[]) => `with windows as materialized (
  select * from unnest($2::integer[], $3::date[], $4::date[], $5::timestamptz[], $6::timestamptz[], $7::date[])
    as w (i, first, last, starts, ends, year_ago))
  ${selects.join(' union all ')}`;
/** The columns of a window that the tokens stand for. */
const COLUMNS: Readonly<Record<string, string>> = {
  [TOKENS.first]: 'w.first',
  [TOKENS.last]: 'w.last',
  [TOKENS.starts]: 'w.starts',
  [TOKENS.ends]: 'w.ends',
  [TOKENS.yearAgo]: 'w.year_ago',
};

/** Measures metrics: one statement, and so one snapshot, for any number of metrics and periods. */
@Injectable()
export class Measurements {
  private readonly tables = new Map<EntityClass, Table>();

  constructor(private readonly database: Database) {}

  /** By metric, for each window in order; metrics of the current state have one measurement. */
  async of(order: MeasuringOrder): Promise<Map<string, Measurement[]>> {
    const { metrics, windows } = order;
    const rows = metrics.length > 0 ? await this.database.read<Row>(this.statementOf(order)) : [];
    const byMetric = Map.groupBy(rows, ({ metric }) => metric);
    return new Map(
      metrics.map((metric) => {
        const found = byMetric.get(metric.key) ?? [];
        const measured = hasHistory(metric) ? windows : windows.slice(0, 1);
        return [metric.key, measured.map((_, i) => measurementOf(found.filter(({ window }) => window === i)))];
      }),
    );
  }

  private statementOf({ metrics, windows, workspaceIds, now, today }: MeasuringOrder) {
    const values: unknown[] = [
      currentTenant().id,
      windows.map((_, i) => i),
      ...(['first', 'last', 'starts', 'ends', 'yearAgo'] as const).map((part) => windows.map((each) => each[part])),
    ];
    const add = (value: unknown): string => COLUMNS[String(value)] ?? `$${values.push(value)}`;
    const moments = { ':now': () => `${add(now)}::timestamptz`, ':today': () => `${add(today)}::date` };
    const selects = metrics.map((metric) => this.selectOf(metric, workspaceIds, now, moments, add));
    return statement(measuring(selects), values);
  }

  /** The list's own conditions select the rows, so a drill-down finds the same. */
  private selectOf(
    metric: CataloguedMetric,
    workspaceIds: readonly string[] | null,
    now: string,
    moments: Moments,
    add: (value: unknown) => string,
  ): string {
    const { key, source, parsed, measure } = metric;
    const query = { ...parsed, ...(workspaceIds ? { [`${source.workspaceFilter}[in]`]: workspaceIds } : {}) };
    const table = this.tableOf(source.entity);
    const listed = table.listed(toListRequest(source.list, query, now), source.list, source.visible())(add);
    const aggregate = resolved(measure.sql, moments);
    const { currency } = measure;
    const figures =
      currency === undefined
        ? `(${aggregate})::float8 as value, null::text as currency, null::bigint as minor`
        : `null::float8 as value, ${currency} as currency, ${exactSum(aggregate)} as minor`;
    const grouping = currency === undefined ? '' : ` group by ${currency}`;
    return `select '${key}' as metric, w.i as window, r.* from windows w cross join lateral (
      select count(*)::bigint as sample, ${figures} from ${table.name} t where ${listed}${grouping}) r
      ${hasHistory(metric) ? '' : 'where w.i = 0'}`;
  }

  private tableOf(entity: EntityClass): Table {
    let table = this.tables.get(entity);
    if (!table) this.tables.set(entity, (table = new Table(this.database.source, entity)));
    return table;
  }
}

/** Replaces tokens; a moment becomes a parameter only where it is used. */
function resolved(sql: string, moments: Moments): string {
  const columns = Object.entries(COLUMNS).map(([token, column]) => [token, () => column] as const);
  return [...columns, ...Object.entries(moments)].reduce((text, [token, put]) => text.replaceAll(token, put), sql);
}

function measurementOf(rows: readonly Row[]): Measurement {
  return {
    sample: rows.reduce((sum, { sample }) => sum + sample, 0),
    value: rows[0]?.value ?? null,
    amounts: rows
      .flatMap(({ currency, minor }) => (currency === null ? [] : [{ currency, minor }]))
      .sort((a, b) => (a.currency < b.currency ? -1 : 1)),
  };
}
