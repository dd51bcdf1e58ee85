import { Injectable, type OnApplicationBootstrap, type Provider } from '@nestjs/common';
import { holds } from '#libs/auth/current-principal.js';
import { fieldsOf } from '#libs/http/field.js';
import { listQuery } from '#libs/resource/lists/list-query.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { hasHistory, type Metric, METRIC_GROUPS, TOKENS } from './metric.js';
import { type MetricSource, sourceOf } from './metric-source.js';
import type { Window } from './period.js';

/** A metric of the catalogue with the list that it counts. */
export interface CataloguedMetric extends Metric {
  source: MetricSource;
  /** Query parameters of the list, as in a URL; values can be {@link TOKENS}. */
  query: Readonly<Record<string, string>>;
  /** The same parameters as the list parses them. */
  parsed: Readonly<Record<string, unknown>>;
}

const TOKEN_VALUES: ReadonlySet<string> = new Set(Object.values(TOKENS));

/** All metrics of the process. Areas declare theirs; the process does not start with an invalid one. */
@Injectable()
export class MetricCatalogue implements OnApplicationBootstrap {
  private readonly declared: Metric[] = [];
  private readonly sources = new Map<string, MetricSource>();
  private readonly metrics = new Map<string, CataloguedMetric>();

  constructor(private readonly registry: ResourceRegistry) {}

  add(metrics: readonly Metric[]): void {
    this.declared.push(...metrics);
  }

  /** Adds a list that is not one of a record type. */
  addSource(source: MetricSource): void {
    this.sources.set(source.key, source);
  }

  /** @throws Error for a duplicate key, an unknown list, or a parameter that the list does not accept. */
  onApplicationBootstrap(): void {
    const rank = ({ group }: Metric) => METRIC_GROUPS.indexOf(group);
    for (const metric of this.declared.toSorted((a, b) => rank(a) - rank(b))) {
      if (this.metrics.has(metric.key)) throw new Error(`The metric ${metric.key} is declared twice.`);
      this.metrics.set(metric.key, this.prepared(metric));
    }
    for (const { key, dividedByTargetOf: other } of this.declared)
      if (other !== undefined && !this.metrics.has(other))
        throw new Error(`The metric ${key} refers to the unknown metric ${other}.`);
  }

  /** All metrics, by group and in the order of their declaration. */
  all(): CataloguedMetric[] {
    return [...this.metrics.values()];
  }

  /** The metrics whose records the caller may read, in the order of {@link all}. */
  readable(): CataloguedMetric[] {
    return this.all().filter(
      ({ source, permission }) => source.isReadable() && (permission === undefined || holds(permission)),
    );
  }

  /** A metric with its list, for a figure that is not in the catalogue. @throws Error as at the start of the process. */
  prepared(metric: Metric): CataloguedMetric {
    const resource = this.registry.ofType(metric.of);
    const source = this.sources.get(metric.of) ?? (resource && sourceOf(resource));
    if (!source) throw new Error(`The metric ${metric.key} counts the unknown list ${metric.of}.`);
    const query = queryOf(metric, source);
    return { ...metric, source, query, parsed: parsedQuery(metric.key, query, source) };
  }
}

/**
 * Declares metrics in the module of their area. `sources` adds the lists that they count, except those of record types.
 */
export function declaresMetrics(
  metrics: readonly Metric[],
  ...sources: ((registry: ResourceRegistry) => MetricSource)[]
): Provider {
  return {
    provide: Symbol('metrics'),
    inject: [MetricCatalogue, ResourceRegistry],
    useFactory: (catalogue: MetricCatalogue, registry: ResourceRegistry) => {
      for (const source of sources) catalogue.addSource(source(registry));
      catalogue.add(metrics);
    },
  };
}

/** Items of the past count even if they are archived by now. */
function queryOf(metric: Metric, { list }: MetricSource): Record<string, string> {
  const { where, during } = metric;
  const isDate = during !== undefined && list.filters[during]?.kind.schema['format'] === 'date';
  const span = isDate
    ? { [`${during}[gte]`]: TOKENS.first, [`${during}[lte]`]: TOKENS.last }
    : { [`${during}[gte]`]: TOKENS.starts, [`${during}[lt]`]: TOKENS.ends };
  return {
    ...where,
    ...(during === undefined ? {} : span),
    ...(hasHistory(metric) && list.trashPermission ? { includeArchived: 'true' } : {}),
  };
}

function parsedQuery(key: string, query: Readonly<Record<string, string>>, { list }: MetricSource) {
  const fields = fieldsOf(listQuery('MetricQuery', list));
  const parsed = Object.entries(query).map(([parameter, text]) => {
    const kind = fields.get(parameter)?.kind;
    if (!kind) throw new Error(`The metric ${key} filters by ${parameter}, which the list does not accept.`);
    if (TOKEN_VALUES.has(text)) return [parameter, text];
    const value = kind.parse(text);
    if (kind.check(value).length > 0) throw new Error(`The metric ${key} filters by an invalid ${parameter}.`);
    return [parameter, value];
  });
  return Object.fromEntries(parsed) as Record<string, unknown>;
}

/** Path and query of the list of the items that a metric counts in a period. */
export function drillDownOf(
  { source, query }: CataloguedMetric,
  window: Window,
  workspaceIds: readonly string[] | null,
): string {
  const part = (text: string) => (TOKEN_VALUES.has(text) ? window[text.slice(1) as keyof Window] : text);
  const parameters = new URLSearchParams(query);
  for (const [name, text] of Object.entries(query)) parameters.set(name, part(text));
  if (workspaceIds) parameters.set(`${source.workspaceFilter}[in]`, workspaceIds.join(','));
  return parameters.size > 0 ? `${source.path}?${parameters.toString()}` : source.path;
}
