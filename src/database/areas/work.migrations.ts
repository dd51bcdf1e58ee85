import { Work1763700000007 } from '../migrations/1763700000007-work.js';

export const WORK_MIGRATIONS = [Work1763700000007];
