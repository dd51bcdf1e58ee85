import type { Guarantor } from '#libs/auth/guarantors.js';
import type { Plan } from './mapping-template.js';

/** What was approved when a mapping was applied or retried, besides its values and `invitee`. */
export interface MappingPromise {
  plan: Plan;
  /** Who applied it; null for an automation. */
  guarantor: Guarantor | null;
}
