/** Levels of exceptions for records, lowest first: who may edit may also view. */
export const LEVELS = ['view', 'comment', 'edit', 'manage'] as const;

export type Level = (typeof LEVELS)[number];

const BESIDE_RECORDS: ReadonlySet<string> = new Set(['attachments', 'comments', 'links', 'watchers']);

/** The rank of a level, from 1, as the database knows it. */
export function rankOf(level: Level): number {
  return LEVELS.indexOf(level) + 1;
}

/** The rank of the level that a permission belongs to: reading views, what hangs on a record comments, other verbs manage. */
export function levelOf(permission: string): number {
  const colon = permission.indexOf(':');
  const verb = permission.slice(colon + 1);
  if (verb === 'read') return rankOf('view');
  if (BESIDE_RECORDS.has(permission.slice(0, colon)) && verb === 'write') return rankOf('comment');
  return rankOf(verb === 'write' ? 'edit' : 'manage');
}
