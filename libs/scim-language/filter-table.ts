/** An SQL expression and what it yields; text where case does not count is folded, and its collation is "C". */
export interface Column {
  sql: string;
  type: 'text' | 'uuid' | 'boolean' | 'instant';
}

/** Rows of another table that are the elements of a multi-valued attribute. */
export interface Relation {
  /** What follows FROM. */
  from: string;
  /** What ties its rows to the row of the resource. */
  where: string;
  /** By sub-attribute. */
  columns: ReadonlyMap<string, Column>;
}

/** Where the attributes of one type of resource are. No text of it comes from a request. */
export interface FilterTable {
  /** A jsonb column with the result of `foldedDocument`, for all attributes that are not named below. */
  document: string;
  /** By path, such as `userName` or `meta.created`. */
  columns: ReadonlyMap<string, Column>;
  /** By multi-valued attribute, such as `members`. */
  relations: ReadonlyMap<string, Relation>;
  /**
   * Conditions that an index answers, by multi-valued attribute: necessary for one of its elements to have as `value` what
   * the parameter says.
   */
  lookups: ReadonlyMap<string, (parameter: string) => string>;
}

/** The column of an attribute inside a jsonb expression. */
export function documentColumn(json: string, names: readonly string[], type: string): Column {
  const value = `(${[json, ...names.slice(0, -1).map(literal)].join('->')}->>${literal(names.at(-1)!)})`;
  return type === 'boolean' ? { sql: `${value}::boolean`, type: 'boolean' } : { sql: value, type: 'text' };
}

/** A name of the schema as SQL text. */
export function literal(name: string): string {
  return `'${name.replaceAll("'", "''")}'`;
}
