import { Reports1763700000130 } from '../migrations/1763700000130-reports.js';
import { CredentialsOfReportRuns1763700000230 } from '../migrations/1763700000230-credentials-of-report-runs.js';

/** Stored reports and their runs. */
export const REPORTS_MIGRATIONS = [Reports1763700000130, CredentialsOfReportRuns1763700000230];
