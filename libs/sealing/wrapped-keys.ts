import type { WrappingPurpose } from './master-keys.js';

/** A table with keys that are wrapped with the master key. It has a column `master_key_id`. */
export interface WrappedKeys {
  /** Schema-qualified, e.g. `data.data_keys`. */
  table: string;
  /** Columns of the primary key. */
  identity: readonly string[];
  /** The wrapped key. */
  column: string;
  purpose: WrappingPurpose;
  /** The authenticated context of a row. */
  context: (ids: readonly unknown[]) => string;
}
