/** The blocks of the home page in their usual order. */
export const BLOCKS = [
  'announcements',
  'tasks',
  'approvals',
  'mentions',
  'interviews',
  'timer',
  'deals',
  'timeOff',
  'favourites',
  'recent',
  'scorecards',
  'onboarding',
] as const;
export type BlockKey = (typeof BLOCKS)[number];
