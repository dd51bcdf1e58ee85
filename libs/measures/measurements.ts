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

/** What the metrics with the same drill-down measured over a window, in their order; for amounts, of one currency. */
interface Row {
  /** Key of the first of these metrics. */
  first: string;
  window: number;
  sample: number;
  currency: string | null;
  figures: (number | null)[];
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

/**
 * Measures metrics for any number of periods. All metrics of a list come from one statement, and so from one snapshot;
 * those with the same drill-down come from one scan.
 */
@Injectable()
export class Measurements {
  private readonly tables = new Map<EntityClass, Table>();

  constructor(private readonly database: Database) {}

  /** By metric, for each window in order; metrics of the current state have one measurement. */
  async of(order: MeasuringOrder): Promise<Map<string, Measurement[]>> {
    const { metrics, windows } = order;
    const distinct = [...new Map(windows.map((each) => [each.starts, each])).values()];
    const places = windows.map(({ starts }) => distinct.findIndex((each) => each.starts === starts));
    const groups = [...Map.groupBy(metrics, rowsOf).values()];
    const statements = halvesOf(groups).map((half) => this.statementOf({ ...order, windows: distinct }, half));
    const rows = await Promise.all(statements.map((each) => this.database.read<Row>(each)));
    const byGroup = Map.groupBy(rows.flat(), ({ first }) => first);
    return new Map(
      groups.flatMap((group) => {
        const found = byGroup.get(group[0]!.key) ?? [];
        const measured = hasHistory(group[0]!) ? places : places.slice(0, 1);
        return group.map((metric, i): [string, Measurement[]] => [
          metric.key,
          measured.map((place) => measurementOf(metric, rowsAt(found, place), i)),
        ]);
      }),
    );
  }

  private statementOf(
    { windows, workspaceIds, now, today }: MeasuringOrder,
    groups: readonly (readonly CataloguedMetric[])[],
  ) {
    const values: unknown[] = [
      currentTenant().id,
      windows.map((_, i) => i),
      ...(['first', 'last', 'starts', 'ends', 'yearAgo'] as const).map((part) => windows.map((each) => each[part])),
    ];
    const add = (value: unknown): string => COLUMNS[String(value)] ?? `$${values.push(value)}`;
    const moments = { ':now': () => `${add(now)}::timestamptz`, ':today': () => `${add(today)}::date` };
    const selects = groups.map((group) => this.selectOf(group, workspaceIds, now, moments, add));
    return statement(measuring(selects), values);
  }

  /** The list's own conditions select the rows, so a drill-down finds the same. */
  private selectOf(
    group: readonly CataloguedMetric[],
    workspaceIds: readonly string[] | null,
    now: string,
    moments: Moments,
    add: (value: unknown) => string,
  ): string {
    const [first] = group as [CataloguedMetric];
    const { source, parsed } = first;
    const query = { ...parsed, ...(workspaceIds ? { [`${source.workspaceFilter}[in]`]: workspaceIds } : {}) };
    const table = this.tableOf(source.entity);
    const listed = table.listed(toListRequest(source.list, query, now), source.list, source.visible())(add);
    const { currency } = first.measure;
    const figures = group.map(({ measure: { sql } }) => {
      const aggregate = resolved(sql, moments);
      return currency === undefined ? `(${aggregate})::float8` : exactSum(aggregate);
    });
    const grouping = currency === undefined ? '' : ` group by ${currency}`;
    return `select '${first.key}' as first, w.i as window, r.* from windows w cross join lateral (
      select count(*)::bigint as sample, ${currency ?? 'null::text'} as currency, json_build_array(${figures.join(', ')}) as figures
      from ${table.name} t where ${listed}${grouping}) r
      ${hasHistory(first) ? '' : 'where w.i = 0'}`;
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

const rowsAt = (rows: readonly Row[], place: number) => rows.filter(({ window }) => window === place);

/** Two parts that are read at the same time, on two connections. */
function halvesOf(groups: readonly CataloguedMetric[][]): CataloguedMetric[][][] {
  const lists = [...Map.groupBy(groups, ([first]) => first!.of).values()];
  return [0, 1].map((half) => lists.filter((_, i) => i % 2 === half).flat()).filter((half) => half.length > 0);
}

/** Metrics for which this is equal count the same rows and aggregate them by the same currency. */
function rowsOf({ of, query, measure: { currency } }: CataloguedMetric): string {
  return JSON.stringify([of, query, currency ?? null]);
}

/** What the rows say about the metric at a place in its group. */
function measurementOf({ measure }: CataloguedMetric, rows: readonly Row[], place: number): Measurement {
  const figureOf = ({ figures }: Row) => figures[place] ?? null;
  const isAmount = measure.currency !== undefined;
  const amounts = rows.flatMap((row) =>
    row.currency === null ? [] : [{ currency: row.currency, minor: figureOf(row) }],
  );
  return {
    sample: rows.reduce((sum, { sample }) => sum + sample, 0),
    value: isAmount || !rows[0] ? null : figureOf(rows[0]),
    amounts: amounts.sort((a, b) => (a.currency < b.currency ? -1 : 1)),
  };
}
