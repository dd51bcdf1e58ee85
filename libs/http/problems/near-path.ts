import { mistakesAllowed, mistakesBetween } from '#libs/kernel/near.js';

const MAX_LENGTH = 200;
/** Maximum number of mistakes in a path. */
const MOST = 2;

/** A path of the API, prepared for comparison: without the prefix before the area, and with empty parameters. */
export interface KnownPath {
  template: string;
  segments: string[];
}

/** How a router path, such as `/api/v1/sales/deals/:id`, is shown and compared. */
export function knownPath(url: string): KnownPath {
  const template = url.replace(/:(\w+)/g, '{$1}');
  return { template, segments: segmentsOf(template).map((each) => (each.startsWith('{') ? '' : each)) };
}

/**
 * The path that was probably meant: one with one or two wrong letters, in another case, or without `/api/v1` or the
 * area. Null if there is none.
 */
export function nearestPath(path: string, known: Iterable<KnownPath>): string | null {
  if (path.length > MAX_LENGTH) return null;
  const given = segmentsOf(path);
  if (given.length === 0) return null;
  let best: string | null = null;
  let least = MOST + 1;
  for (const { template, segments } of known) {
    const whole = mistakesIn(given, segments, least - 1);
    const withoutArea = 1 + mistakesIn(given, segments.slice(1), least - 2);
    const cost = Math.min(whole, withoutArea);
    if (cost < least) [best, least] = [template, cost];
  }
  return best;
}

/** Infinity if the paths differ in their number of segments, or have no named segment. */
function mistakesIn(given: readonly string[], segments: readonly string[], most: number): number {
  if (given.length !== segments.length || segments.every((each) => each === '')) return Infinity;
  let sum = 0;
  for (const [index, segment] of segments.entries()) {
    if (segment === '') continue; // any value
    const allowed = Math.min(most - sum, mistakesAllowed(segment));
    sum += allowed < 0 ? Infinity : mistakesBetween(given[index]!, segment, allowed);
    if (sum > most) return Infinity;
  }
  return sum;
}

function segmentsOf(path: string): string[] {
  const segments = path.toLowerCase().split('/').filter(Boolean);
  const area = segments.findIndex((each) => !/^(api|v\d+)$/.test(each));
  return area < 0 ? [] : segments.slice(area);
}
