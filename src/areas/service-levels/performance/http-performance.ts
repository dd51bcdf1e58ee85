import { addLatency, percentileOf } from '#libs/request-counts/percentiles.js';
import type { RouteFigures } from '#libs/request-counts/performance-figures.js';
import { fractionOf, rounded } from '#libs/kernel/fraction.js';
import { type HttpPerformance, MOST_ROUTES, type RoutePerformance, type Sort } from './performance.dto.js';

type Counts = Omit<RouteFigures, 'method' | 'route'>;

/** The requests of all routes together. */
export function httpOf(
  routes: readonly RouteFigures[],
  { seconds, inFlight }: { seconds: number; inFlight: number },
): HttpPerformance {
  const sum: Counts = { c2xx: 0, c4xx: 0, c429: 0, c5xx: 0, latency: [], maxMs: null };
  for (const each of routes) {
    for (const name of ['c2xx', 'c4xx', 'c429', 'c5xx'] as const) sum[name] += each[name];
    addLatency(sum.latency, each.latency);
  }
  sum.maxMs = longestOf(routes);
  const { c2xx, c4xx, c429: rateLimited, c5xx } = sum;
  const responses = responsesOf(sum);
  return {
    ...responses,
    rps: seconds > 0 ? rounded(responses.count / seconds) : null,
    maxMs: sum.maxMs,
    byStatusClass: { c2xx, c4xx, c5xx },
    rateLimited,
    inFlight,
  };
}

/** The first routes in an order; those with refused requests only are left out. */
export function routesOf(routes: readonly RouteFigures[], sort: Sort): RoutePerformance[] {
  const rank = { p95: 'p95Ms', count: 'count', errors: 'errors' } as const;
  return routes
    .map(({ method, route, ...counts }) => {
      const responses = responsesOf(counts);
      const { count } = responses;
      const errorRate = fractionOf(counts.c5xx, count);
      return { method, route, ...responses, errorRate, errors: counts.c5xx };
    })
    .filter(({ count }) => count > 0)
    .sort((a, b) => b[rank[sort]]! - a[rank[sort]]! || b.count - a.count || (keyOf(a) < keyOf(b) ? -1 : 1))
    .slice(0, MOST_ROUTES)
    .map(({ errors: _, ...route }) => route);
}

/** Whether the slowest response of the period is not known, although there are responses. */
export function lacksLongest(routes: readonly RouteFigures[]): boolean {
  return routes.some((each) => each.maxMs === null && countOf(each) > 0);
}

function longestOf(routes: readonly RouteFigures[]): number | null {
  const all = routes.flatMap(({ maxMs }) => (maxMs === null ? [] : [maxMs]));
  return lacksLongest(routes) || all.length === 0 ? null : Math.max(...all);
}

function responsesOf(counts: Counts) {
  const at = (percent: number) => {
    const ms = percentileOf(counts.latency, percent, counts.maxMs);
    return ms === null ? null : Math.round(ms);
  };
  return { count: countOf(counts), p50Ms: at(50), p95Ms: at(95), p99Ms: at(99) };
}

const countOf = ({ c2xx, c4xx, c5xx }: Counts) => c2xx + c4xx + c5xx;
const keyOf = ({ method, route }: { method: string; route: string }) => `${route} ${method}`;
