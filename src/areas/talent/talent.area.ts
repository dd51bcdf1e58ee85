/** What other areas use of hiring, besides its services. */
export { EMPLOYMENT_TYPES, HiringPlace } from './talent.parts.js';
