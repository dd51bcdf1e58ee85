import type { SlaFormulas } from './sla-report.dto.js';

/** How the figures of a report are computed, for its readers. */
export const SLA_FORMULAS: SlaFormulas = {
  availability:
    'Good ÷ valid × 100, rounded down to three decimals. A response with a status of 500 or more is bad, and so is a request whose caller left after ten seconds without a response. Responses with 400, 401, 403, 404, 405, 409, 410, 412, 413, 415, 422, 423 and 429 are not valid. Every other response is good. A webhook is good if it was delivered within five minutes; an AI job if it succeeded, and bad if it failed.',
  badMinutes: 'Minutes with at least 5 valid requests of which at least 10 % were bad.',
  latency:
    'Percentiles of the good responses, interpolated linearly within the steps of a histogram: 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000 and 10000 ms. Beyond the last step, 10000 is shown.',
  maintenance:
    'Minutes that announced maintenance touches do not count: neither their requests nor their coverage. Nor do webhooks if maintenance touched the time from their creation until they were delivered or the five minutes were over, delays during which there was maintenance, and AI jobs that finished within it. Of an hour that maintenance touched, or that is only partly in the range, nothing counts once its deliveries are no longer kept.',
  coverage:
    'Minutes in which at least one API process was up ÷ minutes of the period × 100, since the tenant was created and outside maintenance.',
};
