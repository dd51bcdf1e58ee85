import { Timeline1763700000013 } from '../migrations/1763700000013-timeline.js';

export const TIMELINE_MIGRATIONS = [Timeline1763700000013];
