import { MetricSnapshots1763700000133 } from '../migrations/1763700000133-metric-snapshots.js';

/** Daily figures of metrics. */
export const INSIGHTS_MIGRATIONS = [MetricSnapshots1763700000133];
