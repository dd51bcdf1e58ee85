/** What other areas may use besides the services. */
export { SCHEDULED } from './stored/report-schedules.js';
