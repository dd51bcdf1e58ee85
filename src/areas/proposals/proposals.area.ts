/** What other areas use of proposals, besides the services. */
export type { Proposal } from './proposals/proposal.js';
export { type DealOutcome, MAX_CHOICES } from './proposals/proposal.parts.js';
