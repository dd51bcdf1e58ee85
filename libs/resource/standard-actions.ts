import type { RecordRow } from './record.entity.js';

/** Actions that mean the same for every type. */
export type StandardAction = 'archive' | 'unarchive' | 'delete' | 'restore';

/** What they change. */
export const STANDARD_ACTIONS: Record<StandardAction, (at: string) => Partial<RecordRow>> = {
  archive: (at) => ({ archivedAt: at }),
  unarchive: () => ({ archivedAt: null }),
  delete: (at) => ({ deletedAt: at }),
  restore: () => ({ deletedAt: null }),
};

/** An action as it stands in URLs and answers. */
export function kebab(action: string): string {
  return action.replaceAll('_', '-');
}
