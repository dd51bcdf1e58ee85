/** What other areas may use besides the services. */
export { APPLIED } from './talent-mapping/mapping.rules.js';
