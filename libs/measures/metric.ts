import type { Permission } from '#libs/auth/permissions.js';

export const METRIC_GROUPS = [
  'company',
  'sales',
  'finance',
  'delivery',
  'people',
  'talent',
  'platform',
  'security',
  'ai',
] as const;
export type MetricGroup = (typeof METRIC_GROUPS)[number];

export const METRIC_UNITS = ['count', 'percent', 'milliseconds', 'days', 'hours', 'money', 'ratio'] as const;
export type MetricUnit = (typeof METRIC_UNITS)[number];

export const DIRECTIONS = ['higher', 'lower'] as const;

/** Parts of a period that filters and expressions of metrics can use. */
export const TOKENS = {
  /** First day. */
  first: ':first',
  /** Last day. */
  last: ':last',
  /** First instant. */
  starts: ':starts',
  /** First instant after the period. */
  ends: ':ends',
  /** First day of the twelve months that end with the period. */
  yearAgo: ':yearAgo',
} as const;

/** The SQL aggregate over the counted rows `t`. Expressions can also use `:now`, `:today` and {@link TOKENS}. */
export interface Measure {
  sql: string;
  /** SQL of the currency of a row, for amounts in minor units: there is one amount for each currency. */
  currency?: string;
  /** A number of items or a sum over them, which is 0 without items. */
  isSum?: true;
}

/** What is said about a measured figure. */
export interface MetricTerms {
  /** Snake case, unique in the catalogue. */
  key: string;
  group: MetricGroup;
  name: string;
  /** What is calculated, in words. */
  formula: string;
  unit: MetricUnit;
  /** Whether higher or lower values are better. */
  direction: (typeof DIRECTIONS)[number];
  /** Target unless the settings have another; absent for figures that depend on the size of the tenant. */
  usualTarget?: number;
  /** The value is the amount in the tenant's currency divided by the target of this metric. */
  dividedByTargetOf?: string;
}

/** A measured figure, declared beside the records that it counts. */
export interface Metric extends MetricTerms {
  /** The list whose items are counted: the key of a record type or of another {@link MetricSource}. */
  of: string;
  /** Query parameters of the list that select the counted items. Values can be {@link TOKENS}. */
  where: Readonly<Record<string, string>>;
  /**
   * Filter of the list by the time at which an item counts. Without it, the metric describes the current state, and
   * earlier values are not known.
   */
  during?: string;
  /** Set if {@link where} determines the items of earlier periods too. */
  hasHistory?: true;
  /** Needed in addition to the permission to read the items. */
  permission?: Permission;
  measure: Measure;
}

/** Whether the metric can be measured for earlier periods. */
export function hasHistory({ during, hasHistory: isSet }: Metric): boolean {
  return during !== undefined || isSet === true;
}

/** Number of items. */
export const count = (): Measure => ({ sql: 'count(*)', isSum: true });
/** Percentage of the items that satisfy a condition. */
export const share = (condition: string): Measure => ({
  sql: `100.0 * count(*) filter (where ${condition}) / nullif(count(*), 0)`,
});
export const mean = (expression: string): Measure => ({ sql: `avg(${expression})` });
export const total = (expression: string): Measure => ({ sql: `sum(${expression})`, isSum: true });
/** Percentage that one sum is of another. */
export const shareOf = (part: string, whole: string): Measure => ({
  sql: `100.0 * sum(${part}) / nullif(sum(${whole}), 0)`,
});
/** Amounts in minor units, per currency. */
export const amount = (expression: string, currency = 't.currency'): Measure => ({
  sql: `sum(${expression})`,
  currency,
  isSum: true,
});
/** Mean amount in minor units, per currency. */
export const meanAmount = (expression: string, currency = 't.currency'): Measure => ({
  sql: `round(avg(${expression}))`,
  currency,
});
/** Days between two timestamps. */
export const daysBetween = (from: string, to: string): string => `extract(epoch from ${to} - ${from}) / 86400`;
