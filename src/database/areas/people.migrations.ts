import { People1763700000010 } from '../migrations/1763700000010-people.js';
import { CalendarsOfPlaces1763700000170 } from '../migrations/1763700000170-calendars-of-places.js';
import { NoAccessForLeavers1763700000171 } from '../migrations/1763700000171-no-access-for-leavers.js';
import { LateStarts1763700000212 } from '../migrations/1763700000212-late-starts.js';

export const PEOPLE_MIGRATIONS = [
  People1763700000010,
  CalendarsOfPlaces1763700000170,
  NoAccessForLeavers1763700000171,
  LateStarts1763700000212,
];
