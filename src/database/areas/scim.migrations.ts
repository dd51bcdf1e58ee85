import { Scim1763700000021 } from '../migrations/1763700000021-scim.js';
import { ScimEstimates1763700000030 } from '../migrations/1763700000030-scim-estimates.js';
import { HeldMembers1763700000261 } from '../migrations/1763700000261-held-members.js';
import { ComparableNames1763700000265 } from '../migrations/1763700000265-comparable-names.js';

export const SCIM_MIGRATIONS = [
  Scim1763700000021,
  ScimEstimates1763700000030,
  HeldMembers1763700000261,
  ComparableNames1763700000265,
];
