/** What other areas may use besides the services. */
export type { ReviewStatus } from './access-reviews/access-review.parts.js';
export type { Decision, Flag, ReviewSnapshot, SubjectType } from './access-reviews/access-review-item.js';
export { placesWithinReach } from './invitations/invitation.rules.js';
export type { InvitationErrorCode } from './invitations/invitation.requests.js';
