import { People1763700000010 } from '../migrations/1763700000010-people.js';
import { CalendarsOfPlaces1763700000170 } from '../migrations/1763700000170-calendars-of-places.js';

export const PEOPLE_MIGRATIONS = [People1763700000010, CalendarsOfPlaces1763700000170];
