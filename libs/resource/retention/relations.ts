import type { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';

/** A foreign key from a column to the id of a record. */
export interface Relation {
  /** Schema-qualified table. */
  child: string;
  column: string;
  parent: string;
  /** Whether a row of the child keeps the record, because it neither goes with it nor forgets it. */
  keeps: boolean;
  /** Whether a row of the child goes with the record. */
  goes: boolean;
}

const FIND = statement(`
  select c.conrelid::regclass::text as child, ca.attname as "column", c.confrelid::regclass::text as parent,
    c.confdeltype not in ('c', 'n') as keeps, c.confdeltype = 'c' as goes
  from pg_constraint c cross join unnest(c.conkey, c.confkey) as k(child_key, parent_key)
    join pg_attribute pa on pa.attrelid = c.confrelid and pa.attnum = k.parent_key and pa.attname = 'id'
    join pg_attribute ca on ca.attrelid = c.conrelid and ca.attnum = k.child_key
  where c.contype = 'f' and c.connamespace = 'data'::regnamespace
  order by 1, 2`);

/** The foreign keys to ids, from the catalogue of the database. */
export async function readRelations(database: Database): Promise<Relation[]> {
  return database.read<Relation & object>(FIND);
}

/** Sorts tables so that a table precedes those that it refers to. */
export function childrenFirst(tables: readonly string[], relations: readonly Relation[]): string[] {
  const sorted: string[] = [];
  const visit = (table: string, path: readonly string[]): void => {
    if (sorted.includes(table) || path.includes(table)) return;
    for (const { child, parent } of relations)
      if (parent === table && child !== table && tables.includes(child)) visit(child, [...path, table]);
    sorted.push(table);
  };
  for (const table of tables) visit(table, []);
  return sorted;
}
