/** What other areas may use besides the services. */
export type { Commitment } from './sla-report/commitments.js';
export { sumOf } from './sla-report/sla-figures.js';
export { breachesOf, type Measurement } from './sla-report/sla-measurement.js';
export type { Correction } from './sla-report/sla-months.js';
export type { SlaBreach } from './sla-report/sla-report.dto.js';
export { DEFAULT_SLOS, type SloTerms } from './slo/slo.js';
export { SLO_STATUSES, type SloView } from './slo/slo.dto.js';
export type { SloStatus } from './slo/slo-engine.js';
