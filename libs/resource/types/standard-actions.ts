import type { Transition } from '#libs/kernel/lifecycle.js';
import type { RecordRow } from './record.entity.js';

/** Actions that mean the same for every type. */
export type StandardAction = 'archive' | 'unarchive' | 'delete' | 'restore';

/** The columns that they change. */
export const STANDARD_ACTIONS: Record<StandardAction, (at: string) => Partial<RecordRow>> = {
  archive: (at) => ({ archivedAt: at }),
  unarchive: () => ({ archivedAt: null }),
  delete: (at) => ({ deletedAt: at }),
  restore: () => ({ deletedAt: null }),
};

/** The default archive and unarchive: the state does not change, and the event is that of an edit. */
export function archiveActions<const S extends string>(
  noun: string,
  from: readonly S[],
  permission: string,
): Record<'archive' | 'unarchive', Transition<S>> {
  const one = withArticle(noun);
  const edit = { from, to: null, permission, event: 'updated', happened: `Fields of ${one} changed.` };
  return {
    archive: { ...edit, summary: `Archive ${one}` },
    unarchive: { ...edit, summary: `Unarchive ${one}` },
  };
}

/** The default delete and restore: into the trash and out of it. `risk` is that of the deletion. */
export function trashActions<const S extends string>(
  noun: string,
  from: readonly S[],
  permission: string,
  risk?: 'medium',
): Record<'delete' | 'restore', Transition<S>> {
  const one = withArticle(noun);
  const One = one.replace('a', 'A');
  return {
    delete: {
      from,
      to: null,
      permission,
      event: 'deleted',
      summary: `Put ${one} into the trash`,
      happened: `${One} was put into the trash.`,
      ...(risk ? { risk } : {}),
    },
    restore: {
      from,
      to: null,
      permission,
      event: 'restored',
      summary: `Bring ${one} back from the trash`,
      happened: `${One} was brought back from the trash.`,
    },
  };
}

/** A noun with its article: `an agent`, `an AI job`, `a user`. */
export function withArticle(noun: string): string {
  return `${/^(?!us[eu]|uni|eu|one\b)[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}

/** An action as in URLs and responses. */
export function kebab(action: string): string {
  return action.replaceAll('_', '-');
}
