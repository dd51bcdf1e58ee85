/** Levels of exceptions for records, lowest first. Each level includes the lower ones. */
export const LEVELS = ['view', 'comment', 'edit', 'manage'] as const;

export type Level = (typeof LEVELS)[number];

const BESIDE_RECORDS: ReadonlySet<string> = new Set(['attachments', 'comments', 'links', 'watchers']);

/** The rank of a level, from 1, as stored in the database. */
export function rankOf(level: Level): number {
  return LEVELS.indexOf(level) + 1;
}

/**
 * The rank of the level that a permission requires: `read` is view, `write` is edit, writing comments, attachments,
 * links and watchers is comment, everything else is manage.
 */
export function levelOf(permission: string): number {
  const colon = permission.indexOf(':');
  const verb = permission.slice(colon + 1);
  if (verb === 'read') return rankOf('view');
  if (BESIDE_RECORDS.has(permission.slice(0, colon)) && verb === 'write') return rankOf('comment');
  return rankOf(verb === 'write' ? 'edit' : 'manage');
}
