import { Home1763700000159 } from '../migrations/1763700000159-home.js';

/** Home pages and announcements. */
export const HOME_MIGRATIONS = [Home1763700000159];
