import { People1763700000010 } from '../migrations/1763700000010-people.js';

export const PEOPLE_MIGRATIONS = [People1763700000010];
