import type { Guarantor } from '#libs/auth/guarantors.js';

/** What was accepted with a handoff, besides what the handoff itself keeps. */
export interface HandoffPromise {
  valueMinor: number | null;
  currency: string;
  accountId: string | null;
  /** Who accepted it. */
  guarantor: Guarantor | null;
}
