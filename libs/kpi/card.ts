import { currentTenant } from '#libs/tenancy/scope.js';
import type { Figure, MetricCard } from './figure.dto.js';
import { changeOf, figureOf, mainOf, ratingOf } from './figures.js';
import type { Measurement } from './measurements.js';
import { type CataloguedMetric, drillDownOf } from './metric-catalogue.js';
import type { Windows } from './period.js';

/** What the figures of cards are shown with. */
export interface CardFrame {
  windows: Pick<Windows, 'current'>;
  /** Workspaces to which the items were limited; null for no limit. */
  workspaceIds: readonly string[] | null;
  minSample: number;
  targets: Readonly<Record<string, number>>;
}

/** A metric against its target. `measured` begins with the current period and the one to compare with. */
export function cardOf(metric: CataloguedMetric, measured: readonly Measurement[], frame: CardFrame): MetricCard {
  const { group, key, name, unit, direction, formula } = metric;
  const { currency } = currentTenant();
  const [value, previous] = [shownFigure(metric, measured[0], frame), shownFigure(metric, measured[1], frame)];
  const target = frame.targets[key] ?? null;
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
    drillDown: drillDownOf(metric, frame.windows.current, frame.workspaceIds),
  };
}

/** The value of a measurement as cards show it. */
export function shownFigure(
  metric: CataloguedMetric,
  measured: Measurement | undefined,
  { minSample, targets }: CardFrame,
): Figure {
  const { dividedByTargetOf } = metric;
  const divisor = dividedByTargetOf === undefined ? undefined : (targets[dividedByTargetOf] ?? null);
  return figureOf(metric, measured, { minSample, currency: currentTenant().currency, divisor });
}
