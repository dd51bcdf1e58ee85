import { fold } from '#libs/kernel/fold.js';
import type { ExternalRef, RecordRow } from '../types/record.entity.js';

const MAX_REFS = 20;

type Holder = Pick<RecordRow, 'externalRefs'>;

/**
 * The ids in other systems after a merge: the remaining record gets as many as fit, and the other record keeps the
 * rest.
 */
export function mergedRefs(into: Holder, from: Holder): { into: ExternalRef[]; from: ExternalRef[] } {
  const room = MAX_REFS - into.externalRefs.length;
  return {
    into: [...into.externalRefs, ...from.externalRefs.slice(0, room)],
    from: from.externalRefs.slice(room),
  };
}

/** The texts of one list plus the new ones of another, as many as fit. */
export function mergedTexts(into: readonly string[], from: readonly string[], max: number): string[] {
  const known = new Set(into.map(fold));
  const fresh = from.filter((text) => !known.has(fold(text)) && known.add(fold(text)));
  return [...into, ...fresh].slice(0, max);
}
