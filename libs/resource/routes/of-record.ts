import type { Besides } from '#libs/http/route.js';

/** Additional permission required by every operation on something that belongs to a record of any type. */
export const READS_RECORD: Besides = {
  scope: '*:read',
  when: 'Always: the read permission of the type of the record.',
};

/** Permissions for lists of what concerns records: rows about types that the caller cannot read are left out. */
export const READS_TYPES: Besides = {
  scope: '*:read',
  when: 'For what is about records: the read permission of their type. The rest is left out.',
};

/** Sentence about the required rights, for descriptions. */
export const RIGHTS = 'The caller must also be able to read the record.';
