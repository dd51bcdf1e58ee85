import { type Comparison, type Filter, holdsWithoutValue, type Operand, type Operator } from './filter.js';
import { type Column, documentColumn, type FilterTable, literal } from './filter-table.js';
import type { AttributePath } from './resource-schema.js';
import { invalidFilter } from './scim-error.js';
import { comparable } from './values.js';

const SQL_OPERATORS: Partial<Record<Operator, string>> = { gt: '>', ge: '>=', lt: '<', le: '<=' };
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * The SQL condition of a filter, in parentheses. Values of the filter are appended to `values` and referenced by
 * position. The SQL text depends on the request, so it must not become a prepared statement.
 *
 * Atoms may yield NULL when an attribute has no value. `and` and `or` never turn NULL into true, and `not` compiles to
 * `is not true`, so NULL counts as false and the atoms can still use an index.
 * @throws ScimError `invalidFilter` for an attribute that is not in the table.
 */
export function compileFilter(filter: Filter, table: FilterTable, values: unknown[]): string {
  const compiler = new Compiler(table, (value, type) => `$${values.push(value)}::${type}`);
  return `(${compiler.compile(filter, (path) => compiler.columnAt(path))})`;
}

/**
 * The SQL condition for the brackets of a path, for a query on the relation of the attribute itself.
 * @throws ScimError as {@link compileFilter}.
 */
export function compileElementFilter(
  path: AttributePath,
  filter: Filter,
  table: FilterTable,
  values: unknown[],
): string {
  const compiler = new Compiler(table, (value, type) => `$${values.push(value)}::${type}`);
  return `(${compiler.elementCondition(path, filter)})`;
}

type ColumnAt = (path: AttributePath) => Column;

class Compiler {
  constructor(
    private readonly table: FilterTable,
    private readonly parameter: (value: unknown, type: 'text' | 'uuid' | 'boolean' | 'timestamptz') => string,
  ) {}

  compile(filter: Filter, columnAt: ColumnAt): string {
    switch (filter.kind) {
      case 'and':
      case 'or':
        return `(${filter.terms.map((term) => this.compile(term, columnAt)).join(` ${filter.kind} `)})`;
      case 'not':
        return `((${this.compile(filter.term, columnAt)}) is not true)`;
      case 'element':
        return this.element(filter.path, filter.filter);
      case 'present':
        return this.present(filter.path, columnAt);
      case 'compare':
        return this.comparison(filter, columnAt);
      case 'constant':
        return String(filter.holds);
    }
  }

  /** @throws ScimError `invalidFilter` for an attribute that cannot be searched. */
  columnAt(path: AttributePath): Column {
    const names = path.map(({ name }) => name);
    const column = this.table.columns.get(names.join('.'));
    if (column) return column;
    if (path.some(({ multiValued, mutability }) => multiValued || mutability === 'readOnly')) throw unknown(path);
    return documentColumn(this.table.document, names, path.at(-1)!.type);
  }

  private comparison(filter: Comparison, columnAt: ColumnAt): string {
    const inner = belowList(filter.path);
    if (!inner) return this.atom(columnAt(filter.path), filter);
    const one = this.element(inner.list, { ...filter, path: inner.rest });
    if (!holdsWithoutValue(filter)) return one;
    return `(${one} or not ${this.exists(inner.list, 'true')})`;
  }

  private present(path: AttributePath, columnAt: ColumnAt): string {
    const inner = belowList(path);
    if (inner) return this.element(inner.list, { kind: 'present', path: inner.rest });
    const last = path.at(-1)!;
    if (last.multiValued) return this.exists(path, 'true');
    if (last.type !== 'complex') return `${columnAt(path).sql} is not null`;
    const ofParts = (last.subAttributes ?? []).flatMap(({ name }) => {
      const column = this.table.columns.get([...path.map((each) => each.name), name].join('.'));
      return column ? [`${column.sql} is not null`] : [];
    });
    if (last.mutability !== 'readOnly') ofParts.push(`${this.json(path)} is not null`);
    return `(${ofParts.join(' or ')})`;
  }

  /** Requires that a single element satisfies the whole filter. */
  private element(path: AttributePath, filter: Filter): string {
    const attribute = path.at(-1)!;
    if (!attribute.multiValued) {
      const all = this.compile(filter, (below) => this.columnAt([...path, ...below]));
      return `(${this.present(path, () => this.columnAt(path))} and ${all})`;
    }
    const exists = this.exists(path, this.elementCondition(path, filter));
    const lookup = this.table.lookups.get(attribute.name);
    const value = lookup && valueAskedFor(filter);
    if (!value) return exists;
    const wanted = comparable(value.path[0], value.value);
    const isId = this.table.relations.get(attribute.name)?.columns.get('value')?.type === 'uuid';
    if (isId && !UUID.test(wanted as string)) return 'false';
    return `(${lookup(this.parameter(wanted, isId ? 'uuid' : 'text'))} and ${exists})`;
  }

  /** The SQL condition of `filter` on an element, in a query over the elements of the attribute. */
  elementCondition(path: AttributePath, filter: Filter): string {
    const relation = this.table.relations.get(path.at(-1)!.name);
    return this.compile(filter, ([below]) => {
      if (!relation) return documentColumn('e.value', [below.name], below.type);
      const column = relation.columns.get(below.name);
      if (!column) throw unknown([...path, below]);
      return column;
    });
  }

  private exists(path: AttributePath, condition: string): string {
    const relation = this.table.relations.get(path.at(-1)!.name);
    if (relation) return `exists (select 1 from ${relation.from} where ${relation.where} and ${condition})`;
    if (path.some(({ mutability }) => mutability === 'readOnly')) throw unknown(path);
    return `exists (select 1 from jsonb_array_elements(${this.json(path)}) e (value) where ${condition})`;
  }

  private json(path: AttributePath): string {
    return `(${[this.table.document, ...path.map(({ name }) => literal(name))].join('->')})`;
  }

  private atom(column: Column, { operator, path, value }: Comparison): string {
    if (value === null) return `${column.sql} is ${operator === 'eq' ? '' : 'not '}null`;
    const wanted = comparable(path.at(-1)!, value) as Exclude<Operand, null>;
    if (column.type === 'boolean') return equality(column.sql, operator, this.parameter(wanted, 'boolean'));
    if (operator === 'eq' || operator === 'ne') return this.equals(column, operator, wanted);
    const order = SQL_OPERATORS[operator];
    if (!order) return `${asText(column)} like ${this.parameter(pattern(operator, wanted as string), 'text')}`;
    if (column.type === 'instant') return `${column.sql} ${order} ${this.parameter(wanted, 'timestamptz')}`;
    return `${asText(column)} collate "C" ${order} ${this.parameter(wanted, 'text')}`;
  }

  private equals(column: Column, operator: 'eq' | 'ne', wanted: Exclude<Operand, null>): string {
    if (column.type === 'instant') return equality(column.sql, operator, this.parameter(wanted, 'timestamptz'));
    if (column.type === 'text') return equality(column.sql, operator, this.parameter(wanted, 'text'));
    // A value that is not a UUID matches no id.
    if (!UUID.test(wanted as string)) return operator === 'eq' ? 'false' : 'true';
    return equality(column.sql, operator, this.parameter(wanted, 'uuid'));
  }
}

function equality(sql: string, operator: Operator, parameter: string): string {
  return operator === 'eq' ? `${sql} = ${parameter}` : `${sql} is distinct from ${parameter}`;
}

/** Splits a path at the list that it leads through; null when there is none. */
function belowList(path: AttributePath): { list: AttributePath; rest: AttributePath } | null {
  const at = path.findIndex(({ multiValued }) => multiValued);
  if (at < 0 || at === path.length - 1) return null;
  const [first, ...list] = path.slice(0, at + 1);
  const [next, ...rest] = path.slice(at + 1);
  return { list: [first!, ...list], rest: [next!, ...rest] };
}

/** The `eq` comparison that the `value` of an element must satisfy in any case; null when there is none. */
function valueAskedFor(filter: Filter): Comparison | null {
  if (filter.kind === 'and') {
    for (const term of filter.terms) {
      const found = valueAskedFor(term);
      if (found) return found;
    }
    return null;
  }
  const asks = filter.kind === 'compare' && filter.operator === 'eq' && filter.value !== null;
  return asks && filter.path[0].name === 'value' ? filter : null;
}

function asText({ sql, type }: Column): string {
  if (type === 'instant') return `to_char(${sql} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  return type === 'text' ? sql : `${sql}::text`;
}

function pattern(operator: Operator, text: string): string {
  const escaped = text.replace(/[\\%_]/g, '\\$&');
  return `${operator === 'sw' ? '' : '%'}${escaped}${operator === 'ew' ? '' : '%'}`;
}

function unknown(path: AttributePath): Error {
  return invalidFilter(`"${path.map(({ name }) => name).join('.')}" cannot be searched.`);
}
