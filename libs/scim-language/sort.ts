import { cut } from '#libs/kernel/cut.js';
import { type Column, documentColumn, type FilterTable, literal } from './filter-table.js';
import { type AttributePath, type ResourceSchema, subAttribute } from './resource-schema.js';
import { invalidValue } from './scim-error.js';

/**
 * The ORDER BY expression for `sortBy` and `sortOrder`. Resources without a value come last, or first in descending
 * order. Of several values, the primary one counts, otherwise the first. `Source:` RFC 7644 section 3.4.2.3.
 * @throws ScimError `invalidValue`.
 */
export function compileSort(
  schema: ResourceSchema,
  table: FilterTable,
  sortBy: string,
  sortOrder = 'ascending',
): string {
  const order = sortOrder.toLowerCase();
  if (order !== 'ascending' && order !== 'descending')
    throw invalidValue('"sortOrder" must be "ascending" or "descending".');
  const path = schema.resolve(sortBy);
  const value = path && sortedBy(path);
  if (!value) throw invalidValue(`Resources cannot be sorted by "${cut(sortBy, 100)}".`);
  const { sql, type } = columnOf(table, value);
  const key = type === 'text' ? `${sql} collate "C"` : sql;
  return order === 'ascending' ? `${key} asc nulls last` : `${key} desc nulls first`;
}

/** A complex attribute is sorted by its `value`. */
function sortedBy(path: AttributePath): AttributePath | null {
  const last = path.at(-1)!;
  const value = last.type === 'complex' ? subAttribute(last, 'value') : null;
  if (last.type === 'complex' && !value) return null;
  return path.some(({ returned }) => returned === 'never') ? null : value ? [...path, value] : path;
}

function columnOf(table: FilterTable, path: AttributePath): Column {
  const names = path.map(({ name }) => name);
  const column = table.columns.get(names.join('.'));
  if (column) return column;
  if (path.some(({ mutability }) => mutability === 'readOnly') || table.relations.has(names[0]!))
    throw invalidValue(`Resources cannot be sorted by "${names.join('.')}".`);
  const last = path.at(-1)!;
  if (!path.some(({ multiValued }) => multiValued)) return documentColumn(table.document, names, last.type);
  const elements = [table.document, ...names.slice(0, -1).map(literal)].join('->');
  const { sql, type } = documentColumn('e.value', [last.name], last.type);
  return {
    sql: `(select ${sql} from jsonb_array_elements(${elements}) with ordinality e (value, place)
      order by (e.value->>'primary')::boolean is true desc, e.place limit 1)`,
    type,
  };
}
