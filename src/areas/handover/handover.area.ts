/** What other areas may use besides the services. */
export { ACCEPTED } from './sales-handoff/handoff.lifecycle.js';
