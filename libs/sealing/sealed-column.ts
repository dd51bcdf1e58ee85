/**
 * A column with sealed values. Its name and the ids of the row are authenticated with each value. The columns of all
 * areas are listed in `src/areas/sealed-columns.ts`, so that old values can be sealed again with a new data key.
 */
export class SealedColumn {
  /** Column as it is authenticated; columns between which values move have the same. */
  private readonly name: string;
  /** Columns with the ids, in the order in which they are authenticated. */
  readonly identity: readonly string[];

  /** @param table schema-qualified, e.g. `data.mails`; has a `tenant_id`. */
  constructor(
    readonly table: string,
    readonly column: string,
    { name = column, identity = ['id'] }: { name?: string; identity?: readonly string[] } = {},
  ) {
    this.name = name;
    this.identity = identity;
  }

  /** Where a value belongs. */
  place(ids: readonly string[]): string {
    return [this.table, this.name, ...ids].join('|');
  }
}
