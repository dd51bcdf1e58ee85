/** What other areas may use besides the services. */
export { SERVICE_METRIC_KEYS } from './scorecards/service-cards.js';
