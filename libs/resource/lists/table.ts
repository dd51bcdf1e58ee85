import type { DataSource, EntityMetadata } from 'typeorm';
import { type Guard, guarded } from '#libs/access/guard.js';
import { ALPHABET } from '#libs/database/alphabet.js';
import type { EntityClass } from '#libs/database/data-source.js';
import { EMPTY_LAST, emptyLast } from '#libs/database/empty-last.js';
import { FEW_MATCHES, searchFunctionOf, toTsQuery } from '#libs/database/search.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Kind } from '#libs/http/field.js';
import type { Position } from '#libs/kernel/cursor.js';
import { attributesOf } from '../types/attribute.js';
import { filterOf, type FilterTerm, type ListOptions, type ListRequest, type SortTerm } from './list-query.js';

export type { Guard };

/** Named conditions that are evaluated for each row in addition to its columns. */
export type Marks = ReadonlyMap<string, Guard>;

/** The column that lists the {@link Marks} that a row satisfies. */
export const MARKED = '#marks';

export interface Column {
  property: string;
  sql: string;
  /** SQL of the value as it is compared; the table is `t`. */
  compared: string;
  /** SQL of the value as it is sorted: text alphabetically. */
  sorted: string;
  type: string;
  nullable: boolean;
}

/** Open records of an owner: neither archived, nor in the trash, nor in a final state. */
export interface OpenRecords {
  /** The state property; without such a column no record is ever final. */
  stateField: string;
  closed: readonly string[];
  /** Only records of this workspace; null for all. */
  workspaceId: string | null;
}

/** Where a page begins, and which rows can be on it. */
export interface PagePlace {
  /** Position of the last row of the page before; null for the first page. */
  after: Position | null;
  guard: Guard | null;
  /** The ids that the search for `q` found; null if there are too many. */
  matches: readonly string[] | null;
  /** Evaluated for each row. */
  marks: Marks | null;
}

type Bounds = Pick<PagePlace, 'guard' | 'matches'>;

/**
 * The SQL of one entity, generated once from TypeORM's metadata. Only column names from the metadata and operators
 * from this file become SQL text; every value is a parameter.
 */
export class Table {
  /** Schema-qualified name. */
  readonly name: string;
  private readonly columns: readonly Column[];
  private readonly byProperty: ReadonlyMap<string, Column>;
  private readonly columnList: string;
  private readonly insertion: string;
  /** The same for several rows; absent if a column holds lists. */
  private readonly insertions: string | undefined;
  private readonly replacement: string;
  private readonly finding: string;
  private readonly found: string;
  private readonly mutable: readonly Column[];
  private readonly emptyRow: Record<string, null>;

  constructor(source: DataSource, entity: EntityClass) {
    const metadata: EntityMetadata = source.getMetadata(entity);
    this.name = metadata.tablePath;
    const attributes = attributesOf(entity);
    this.columns = metadata.columns.map((column) => {
      const plain = `t.${column.databaseName}`;
      const compared = column.collation === undefined ? plain : `${plain} collate ${column.collation}`;
      const attribute = attributes.get(column.propertyName);
      return {
        property: column.propertyName,
        sql: column.databaseName,
        compared,
        sorted: attribute?.sort && isWords(attribute.kind) ? `${plain} collate ${ALPHABET}` : compared,
        type: String(column.type),
        nullable: column.isNullable,
      };
    });
    this.byProperty = new Map(this.columns.map((column) => [column.property, column]));
    this.emptyRow = Object.fromEntries(this.columns.map(({ property }) => [property, null]));
    this.columnList = this.columns
      .filter((column) => column.property !== 'tenantId')
      .map(({ sql, property }) => (sql === property ? `t.${sql}` : `t.${sql} as "${property}"`))
      .join(', ');
    const names = this.columns.map((column) => column.sql);
    this.mutable = this.columns.filter((column) => column.property !== 'tenantId' && column.property !== 'id');
    this.finding = `from ${this.name} t where t.tenant_id = $1 and t.id = $2`;
    this.found = `select ${this.columnList} ${this.finding}`;
    this.insertion = `insert into ${this.name} (${names.join(', ')}) values (${names.map((_, i) => `$${i + 1}`).join(', ')})`;
    const lists = metadata.columns.some(({ isArray }) => isArray);
    const arrays = this.columns.map(({ type }, i) => `$${i + 1}::${type}[]`);
    if (!lists)
      this.insertions = `insert into ${this.name} (${names.join(', ')}) select * from unnest(${arrays.join(', ')})`;
    this.replacement =
      `update ${this.name} set ${this.mutable.map((column, i) => `${column.sql} = $${i + 3}`).join(', ')}` +
      ` where tenant_id = $1 and id = $2`;
  }

  insert(row: object): Statement {
    const inserting = statement(this.insertion, this.valuesOf(row, this.columns));
    return this.insertions === undefined ? inserting : { ...inserting, many: this.insertions };
  }

  /** Overwrites all columns of a row that the transaction has locked. */
  replace(row: { tenantId: string; id: string }): Statement {
    return statement(this.replacement, [row.tenantId, row.id, ...this.valuesOf(row, this.mutable)]);
  }

  /** Permanently deletes the row with an id. */
  remove(tenantId: string, id: string): Statement {
    return statement(`delete from ${this.name} where tenant_id = $1 and id = $2`, [tenantId, id]);
  }

  /** A row with all columns empty. */
  blank(): Record<string, null> {
    return { ...this.emptyRow };
  }

  /** The field of a column; undefined if there is no such column. */
  fieldOf(column: string): string | undefined {
    return this.columns.find(({ sql }) => sql === column)?.property;
  }

  /** The column of a field; undefined if it has none. */
  columnOf(field: string): Column | undefined {
    return this.byProperty.get(field);
  }

  /** The row with an id. */
  find(tenantId: string, id: string, guard: Guard | null = null, marks: Marks | null = null): Statement {
    const values: unknown[] = [tenantId, id];
    if (!guard && !marks) return statement(this.found, values);
    const add = (value: unknown): string => `$${values.push(value)}`;
    const marked = marks ? `, ${marksColumn(marks, add)} as "${MARKED}"` : '';
    const text = `select ${this.columnList}${marked} ${this.finding}`;
    return statement(guard ? `${text} and ${guard(add)}` : text, values);
  }

  /** The row with an id, locked until the transaction ends. */
  lock(tenantId: string, id: string, guard: Guard | null = null, marks: Marks | null = null): Statement {
    const { text, values } = this.find(tenantId, id, guard, marks);
    return statement(`${text} for no key update`, values);
  }

  /** All rows of a tenant that satisfy a guard, oldest first. */
  all(tenantId: string, guard: Guard | null): Statement {
    const values: unknown[] = [tenantId];
    const within = guard ? ` and ${guard((value) => `$${values.push(value)}`)}` : '';
    return statement(
      `select ${this.columnList} from ${this.name} t where t.tenant_id = $1${within} order by t.id`,
      values,
    );
  }

  /** Number of a tenant's rows that satisfy a guard, as `count`. */
  count(tenantId: string, guard: Guard | null): Statement {
    return guarded(`select count(*)::integer as count from ${this.name} t where t.tenant_id = $1`, [tenantId], guard);
  }

  /** As {@link all}, locked until the transaction ends. */
  lockAll(tenantId: string, guard: Guard): Statement {
    const { text, values } = this.all(tenantId, guard);
    return statement(`${text} for no key update`, values);
  }

  /** Fails with TOP10 and the permission as the message unless the row with an id satisfies the guard. */
  expect(tenantId: string, id: string, guard: Guard, permission: string): Statement {
    const values: unknown[] = [tenantId, id, permission];
    const condition = guard((value) => `$${values.push(value)}`);
    return statement(`select data.expect_permission($3, exists (select 1 ${this.finding} and ${condition}))`, values);
  }

  /**
   * A page of rows in the order of `request.sort`, starting after `after`, plus one row that shows whether there are
   * more. Uses keysets instead of OFFSET: with an index on the sort columns, every page costs the same.
   */
  page(
    tenantId: string,
    request: ListRequest,
    options: ListOptions,
    { after, guard, matches, marks }: PagePlace,
  ): Statement {
    const { values, add, conditions } = this.listing(tenantId, request, options, { guard, matches });
    const terms = this.order(request.sort);
    if (after) conditions.push(this.after(terms, after, add));
    const marked = marks ? `, ${marksColumn(marks, add)} as "${MARKED}"` : '';
    const text =
      `select ${this.columnList}${marked} from ${this.name} t where ${conditions.join(' and ')}` +
      ` order by ${orderOf(terms)} limit ${add(request.limit + 1)}`;
    // An unfiltered list always scans the index of its sort order.
    return {
      ...statement(text, values),
      generic: !guard && !marks && request.filters.length === 0 && request.q === null,
    };
  }

  /** The first rows of a list as `id` and `position`, counted from 1 in the order of `request.sort`. */
  selection(tenantId: string, request: ListRequest, options: ListOptions, bounds: Bounds): Statement {
    const { values, add, conditions } = this.listing(tenantId, request, options, bounds);
    const order = orderOf(this.order(request.sort));
    return statement(
      `select t.id, row_number() over (order by ${order}) as position from ${this.name} t` +
        ` where ${conditions.join(' and ')} order by position limit ${add(request.limit)}`,
      values,
    );
  }

  /** The rows with these ids that satisfy a guard. */
  among(tenantId: string, ids: readonly string[], guard: Guard | null): Statement {
    const text = `select ${this.columnList} from ${this.name} t where t.tenant_id = $1 and t.id = any($2::uuid[])`;
    return guarded(text, [tenantId, ids], guard);
  }

  /** Number of the rows on all pages of a list, as `count`. */
  total(tenantId: string, request: ListRequest, options: ListOptions, bounds: Bounds): Statement {
    const { values, conditions } = this.listing(tenantId, request, options, bounds);
    return statement(`select count(*)::integer as count from ${this.name} t where ${conditions.join(' and ')}`, values);
  }

  /** The conditions of a list, with its search, over statements whose first parameter is the tenant. */
  private listing(tenantId: string, request: ListRequest, options: ListOptions, { guard, matches }: Bounds) {
    const values: unknown[] = [tenantId];
    const add = (value: unknown): string => `$${values.push(value)}`;
    const conditions = [this.listed(request, options, guard)(add)];
    if (request.q !== null) conditions.push(this.matching(request.q, matches, add));
    return { values, add, conditions };
  }

  /**
   * Whether a list contains a row on one of its pages, apart from `q`; for statements whose first parameter is the
   * tenant.
   */
  listed(
    { filters, now, includeArchived, includeDeleted }: ListRequest,
    options: ListOptions,
    guard: Guard | null,
  ): Guard {
    return (add) => {
      const conditions = ['t.tenant_id = $1'];
      if (guard) conditions.push(guard(add));
      if (this.byProperty.has('deletedAt') && !includeDeleted) conditions.push('t.deleted_at is null');
      if (this.byProperty.has('archivedAt') && !includeArchived) conditions.push('t.archived_at is null');
      for (const term of filters) conditions.push(this.condition(term, now, options, add));
      return conditions.join(' and ');
    };
  }

  /** Whether a row passes the filters of a request; for statements whose first parameter is the tenant. */
  filtered({ filters, q, now }: ListRequest, options: ListOptions): Guard {
    return (add) => {
      const conditions = filters.map((term) => this.condition(term, now, options, add));
      if (q !== null) conditions.push(this.matching(q, null, add));
      return ['true', ...conditions].join(' and ');
    };
  }

  /** Ids of an owner's open records, newest first; if `limit` is null, their number instead. */
  openOf(tenantId: string, ownerId: string, open: OpenRecords, limit: number | null): Statement {
    const values: unknown[] = [tenantId, ownerId];
    const add = (value: unknown): string => `$${values.push(value)}`;
    const conditions = ['t.tenant_id = $1', 't.owner_id = $2', 't.archived_at is null', 't.deleted_at is null'];
    const state = this.byProperty.get(open.stateField);
    if (state && open.closed.length > 0) conditions.push(`t.${state.sql} <> all(${add(open.closed)}::text[])`);
    if (open.workspaceId !== null) conditions.push(`t.workspace_id = ${add(open.workspaceId)}`);
    const rows = `from ${this.name} t where ${conditions.join(' and ')}`;
    if (limit === null) return statement(`select count(*)::integer as count ${rows}`, values);
    return statement(`select t.id ${rows} order by t.created_at desc, t.id desc limit ${add(limit)}`, values);
  }

  /**
   * Ids of the rows that contain the words of `q`, at most one more than count as few; null for a text without words.
   */
  search(q: string): Statement | null {
    const query = toTsQuery(q);
    if (query === null) return null;
    return statement(`select ${searchFunctionOf(this.name)}($1) as id limit ${FEW_MATCHES + 1}`, [query]);
  }

  /**
   * Few matches are read by id. For a frequent word, sorting all matches would get slower with every row of the
   * tenant. Scanning the index of the sort order soon finds a page of matches.
   */
  private matching(q: string, matches: readonly string[] | null, add: (value: unknown) => string): string {
    if (matches) return `t.id = any(${add(matches)}::uuid[])`;
    return `t.search @@ to_tsquery('simple', ${add(toTsQuery(q))})`;
  }

  private valuesOf(row: object, columns: readonly Column[]): unknown[] {
    const values = row as Record<string, unknown>;
    return columns.map(({ property, type }) => {
      const value = values[property] ?? null;
      return type === 'jsonb' && value !== null ? JSON.stringify(value) : value;
    });
  }

  private condition(
    { field, operator, value }: FilterTerm,
    now: string,
    options: ListOptions,
    add: (value: unknown) => string,
  ): string {
    const { sql: own, exists, stored } = filterOf(options, field)!;
    const values = operator === 'eq' || operator === 'in' ? stored?.valuesFor(value) : undefined;
    const narrowed = values ? `t.${stored!.column} ${oneOf(values, add)} and ` : '';
    if (exists) {
      const found = exists
        .replace(':key', () => add(field.slice(field.indexOf('.') + 1)))
        .replaceAll(':now', () => `${add(now)}::timestamptz`)
        .replaceAll(':tenant', '$1')
        .replaceAll(':values', add([value].flat()));
      return operator === 'ne' ? `not ${found}` : narrowed + found;
    }
    const expression = own ?? this.column(field).compared;
    const sql = expression.replaceAll(':now', () => `${add(now)}::timestamptz`);
    switch (operator) {
      case 'eq':
        return `${narrowed}${sql} = ${add(value)}`;
      case 'ne':
        return `${sql} is distinct from ${add(value)}`;
      case 'in':
        return `${narrowed}${sql} = any(${add(value)})`;
      case 'gt':
        return `${sql} > ${add(value)}`;
      case 'gte':
        return `${sql} >= ${add(value)}`;
      case 'lt':
        return `${sql} < ${add(value)}`;
      case 'lte':
        return `${sql} <= ${add(value)}`;
      case 'contains':
        return `position(data.fold(${add(value)}) in data.fold(${sql})) > 0`;
      case 'pattern': {
        const pattern = String(value);
        return pattern.endsWith('*') ? `starts_with(${sql}, ${add(pattern.slice(0, -1))})` : `${sql} = ${add(pattern)}`;
      }
      case 'isNull':
        return `${sql} is ${value === true ? '' : 'not '}null`;
    }
  }

  /** The sort order with the id as tie-breaker, in the direction of the last term. */
  private order(sort: SortTerm[]): { sql: string; type: string; last: string | null; descending: boolean }[] {
    const terms = sort.map(({ field, descending }) => {
      const { sorted, type, nullable } = this.column(field);
      const last = nullable ? EMPTY_LAST[type]![descending ? 'descending' : 'ascending'] : null;
      return { sql: last ? emptyLast(sorted, last) : sorted, type, last, descending };
    });
    return [...terms, { sql: 't.id', type: 'uuid', last: null, descending: terms.at(-1)!.descending }];
  }

  /**
   * Rows after a position. If all terms have the same direction, this is a single row comparison that an index can
   * serve.
   */
  private after(terms: ReturnType<Table['order']>, position: Position, add: (value: unknown) => string): string {
    const bounds = terms.map(({ type, last }, i) => {
      const parameter = `${add(position[i])}::${type}`;
      return last ? emptyLast(parameter, last) : parameter;
    });
    if (terms.every(({ descending }) => descending === terms[0]!.descending)) {
      const sign = terms[0]!.descending ? '<' : '>';
      return `(${terms.map(({ sql }) => sql).join(', ')}) ${sign} (${bounds.join(', ')})`;
    }
    const steps = terms.map(({ sql, descending }, i) => {
      const equal = terms.slice(0, i).map((term, j) => `${term.sql} = ${bounds[j]}`);
      return `(${[...equal, `${sql} ${descending ? '<' : '>'} ${bounds[i]}`].join(' and ')})`;
    });
    return `(${steps.join(' or ')})`;
  }

  private column(property: string): Column {
    const column = this.byProperty.get(property);
    if (!column) throw new Error(`${this.name} has no column for ${property}.`);
    return column;
  }
}

function orderOf(terms: readonly { sql: string; descending: boolean }[]): string {
  return terms.map(({ sql, descending }) => `${sql}${descending ? ' desc' : ''}`).join(', ');
}

/** Whether values of a kind are words of people, not one of a few terms nor an id or a time. */
function isWords({ schema }: Kind): boolean {
  return schema['type'] === 'string' && !('enum' in schema) && !('format' in schema);
}

/** With one value, an index that continues with the sort order returns the rows in that order. */
function oneOf(values: readonly string[], add: (value: unknown) => string): string {
  return values.length === 1 ? `= ${add(values[0])}` : `= any(${add(values)})`;
}

function marksColumn(marks: Marks, add: (value: unknown) => string): string {
  const pairs = [...marks].map(([name, guard]) => `'${name}', (${guard(add)}) is true`);
  return `jsonb_build_object(${pairs.join(', ')})`;
}
