import { Timeline1763700000013 } from '../migrations/1763700000013-timeline.js';
import { MergedReferences1763700000262 } from '../migrations/1763700000262-merged-references.js';

export const TIMELINE_MIGRATIONS = [Timeline1763700000013, MergedReferences1763700000262];
