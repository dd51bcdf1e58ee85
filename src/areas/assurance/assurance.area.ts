/** What other areas may use besides the services. */
export { POSTURE_CHECKS } from './security/posture/checks/all.js';
export type { StoredResult } from './security/posture/posture-run.js';
