/** An SQL expression and its type. Case-insensitive text is case-folded and has collation "C". */
export interface Column {
  sql: string;
  type: 'text' | 'uuid' | 'boolean' | 'instant';
}

/** Another table whose rows are the elements of a multi-valued attribute. */
export interface Relation {
  /** The FROM clause. */
  from: string;
  /** The condition that joins its rows to the row of the resource. */
  where: string;
  /** By sub-attribute. */
  columns: ReadonlyMap<string, Column>;
}

/** Maps the attributes of a resource type to SQL. None of this text comes from a request. */
export interface FilterTable {
  /** A jsonb column with the result of `foldedDocument`, for all attributes not listed below. */
  document: string;
  /** By path, such as `userName` or `meta.created`. */
  columns: ReadonlyMap<string, Column>;
  /** By multi-valued attribute, such as `members`. */
  relations: ReadonlyMap<string, Relation>;
  /** Indexable conditions by multi-valued attribute, which must hold if an element has the parameter as its `value`. */
  lookups: ReadonlyMap<string, (parameter: string) => string>;
}

/** The SQL for an attribute inside a jsonb expression. */
export function documentColumn(json: string, names: readonly string[], type: string): Column {
  const value = `(${[json, ...names.slice(0, -1).map(literal)].join('->')}->>${literal(names.at(-1)!)})`;
  return type === 'boolean' ? { sql: `${value}::boolean`, type: 'boolean' } : { sql: value, type: 'text' };
}

/** A schema name as an SQL literal. */
export function literal(name: string): string {
  return `'${name.replaceAll("'", "''")}'`;
}
