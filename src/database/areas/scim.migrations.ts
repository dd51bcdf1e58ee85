import { Scim1763700000021 } from '../migrations/1763700000021-scim.js';
import { ScimEstimates1763700000030 } from '../migrations/1763700000030-scim-estimates.js';

export const SCIM_MIGRATIONS = [Scim1763700000021, ScimEstimates1763700000030];
