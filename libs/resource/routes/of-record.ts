import type { Besides } from '#libs/http/route.js';

/** Additional permission required by every operation on something that belongs to a record of any type. */
export const READS_RECORD: Besides = {
  scope: '*:read',
  when: 'Always: the read permission of the type of the record.',
};

/** Sentence about the required rights, for descriptions. */
export const RIGHTS = 'The caller must also be able to read the record.';
