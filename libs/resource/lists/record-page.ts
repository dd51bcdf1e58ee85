import type { Page } from './resource.repository.js';

/** What an answer says about a record, a member or a workspace whose id it contains. */
export interface Label {
  /** Type key, e.g. `sales.account`. */
  object: string;
  id: string;
  /** Null for what has no reference, such as members. */
  reference: string | null;
  name: string;
}

/** Labels by id; null for what the caller may not see, for what is in the trash, and for what does not exist. */
export type Labels = Record<string, Label | null>;

/** A page of records, with what the caller asked for beside them. */
export interface RecordPage<V> extends Page<V> {
  included?: Labels;
}
