import { Reports1763700000130 } from '../migrations/1763700000130-reports.js';

/** Stored reports and their runs. */
export const REPORTS_MIGRATIONS = [Reports1763700000130];
