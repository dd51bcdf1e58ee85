import { currentTenant } from '#libs/tenancy/scope.js';
import type { Figure, MetricCard } from './figure.dto.js';
import { changeOf, figureOf, mainOf, ratingOf } from './figures.js';
import type { Measurement } from './measurements.js';
import type { MetricTerms } from './metric.js';
import { type CataloguedMetric, drillDownOf } from './metric-catalogue.js';
import type { Windows } from './period.js';

/** What values are compared with. */
interface Terms {
  minSample: number;
  targets: Readonly<Record<string, number>>;
}

/** What the figures of cards are shown with. */
export interface CardFrame extends Terms {
  windows: Pick<Windows, 'current'>;
  /** Workspaces to which the items were limited; null for no limit. */
  workspaceIds: readonly string[] | null;
}

/** A metric against its target. `measured` begins with the current period and the one to compare with. */
export function cardOf(metric: CataloguedMetric, measured: readonly Measurement[], frame: CardFrame): MetricCard {
  return ratedCard(metric, measured, frame, drillDownOf(metric, frame.windows.current, frame.workspaceIds));
}

/** As {@link cardOf}, for a figure that counts no list. @param drillDown path and query of the page that tells more */
export function ratedCard(
  metric: MetricTerms,
  measured: readonly Measurement[],
  frame: Terms,
  drillDown: string,
): MetricCard {
  const { group, key, name, unit, direction, formula } = metric;
  const { currency } = currentTenant();
  const [value, previous] = [shownFigure(metric, measured[0], frame), shownFigure(metric, measured[1], frame)];
  const target = frame.targets[key] ?? metric.usualTarget ?? null;
  const main = mainOf(value, currency);
  return {
    group,
    key,
    name,
    value,
    unit,
    target,
    previous,
    changePercent: changeOf(main, mainOf(previous, currency)),
    direction,
    rating: ratingOf(main, target, direction),
    sampleSize: measured[0]!.sample,
    formula,
    drillDown,
  };
}

/** The value of a measurement as cards show it. */
export function shownFigure(
  metric: MetricTerms,
  measured: Measurement | undefined,
  { minSample, targets }: Terms,
): Figure {
  const { dividedByTargetOf } = metric;
  const divisor = dividedByTargetOf === undefined ? undefined : (targets[dividedByTargetOf] ?? null);
  return figureOf(metric, measured, { minSample, currency: currentTenant().currency, divisor });
}
