import { type Database } from '#libs/database/database.js';
import type { EntityClass } from '#libs/database/data-source.js';
import { FEW_MATCHES } from '#libs/database/search.js';
import type { Statement } from '#libs/database/statement.js';
import type { TenantRow } from '#libs/database/tenant-row.js';
import type { Transaction } from '#libs/database/transaction.js';
import { type Cursors, type Position } from '#libs/kernel/cursor.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import type { ListOptions, ListRequest } from './list-query.js';
import { type Guard, MARKED, type Marks, Table } from './table.js';

/** Symbol for the conditions that a row satisfies. As a symbol it is never serialized or stored. */
export const MARKS = Symbol('marks');

export interface Marked {
  [MARKS]?: Record<string, boolean>;
}

export interface Page<T> {
  data: T[];
  page: { limit: number; hasMore: boolean; nextCursor: string | null; total?: number };
}

/** Rows of one entity for the tenant in scope. An area's repository extends it with further queries. */
export class ResourceRepository<R extends Pick<TenantRow, 'tenantId' | 'id'>> {
  protected readonly table: Table;

  constructor(
    protected readonly database: Database,
    private readonly cursors: Cursors,
    entity: EntityClass<R>,
  ) {
    this.table = new Table(database.source, entity);
  }

  /** Schema-qualified. */
  get tableName(): string {
    return this.table.name;
  }

  /** The row with an id, including archive and trash; null if the tenant has none that satisfies `guard`. */
  async find(id: string, guard: Guard | null = null, marks: Marks | null = null): Promise<R | null> {
    const finding = this.table.find(currentTenant().id, id, guard, marks);
    const [row] = await this.database.read<R>({ ...finding, isShort: true });
    return row ? this.owned(row) : null;
  }

  /** As {@link find}, locked until the transaction ends. */
  async lock(
    transaction: Transaction,
    id: string,
    guard: Guard | null = null,
    marks: Marks | null = null,
  ): Promise<R | null> {
    const [row] = await transaction.query<R>(this.table.lock(currentTenant().id, id, guard, marks));
    return row ? this.owned(row) : null;
  }

  /** All rows of the tenant that satisfy a guard, oldest first. For types with few rows per tenant. */
  async all(guard: Guard | null = null): Promise<R[]> {
    const rows = await this.database.read<R>(this.table.all(currentTenant().id, guard));
    return rows.map((row) => this.owned(row));
  }

  /** Number of the tenant's rows that satisfy a guard. */
  async countOf(guard: Guard | null): Promise<number> {
    const [row] = await this.database.read<{ count: number }>(this.table.count(currentTenant().id, guard));
    return row!.count;
  }

  /** As {@link all}, locked until the transaction ends. */
  async lockAll(transaction: Transaction, guard: Guard): Promise<R[]> {
    const rows = await transaction.query<R>(this.table.lockAll(currentTenant().id, guard));
    return rows.map((row) => this.owned(row));
  }

  /** One page in the requested order. @throws Problem 400 `cursor_invalid` for a cursor of another list. */
  async page(
    request: ListRequest,
    options: ListOptions,
    guard: Guard | null = null,
    marks: Marks | null = null,
  ): Promise<Page<R>> {
    const tenantId = currentTenant().id;
    const { limit, sort, filters, q, includeArchived, includeDeleted } = request;
    const purpose = JSON.stringify([
      tenantId,
      currentScope().operation,
      sort,
      filters,
      q,
      includeArchived,
      includeDeleted,
    ]);
    const after = request.cursor === null ? null : this.cursors.read(request.cursor, purpose);
    const matches = await this.matches(q);
    const found = this.table.page(tenantId, request, options, { after, guard, matches, marks });
    const rows = await this.database.read<R>(found);
    if (marks) for (const row of rows) this.marked(row);
    const hasMore = rows.length > limit;
    if (hasMore) rows.pop();
    const last = rows.at(-1) as Record<string, unknown> | undefined;
    const position = last && ([...sort.map(({ field }) => last[field] ?? null), last['id']] as Position);
    const nextCursor = hasMore && position ? this.cursors.write(position, purpose) : null;
    return { data: rows, page: { limit, hasMore, nextCursor } };
  }

  /** The statement that selects the first `request.limit` rows of a list, as `id` and `position`. */
  async selection(request: ListRequest, options: ListOptions, guard: Guard | null): Promise<Statement> {
    const matches = await this.matches(request.q);
    return this.table.selection(currentTenant().id, request, options, { guard, matches });
  }

  /** The rows with these ids that satisfy a guard, in the order of the ids. */
  async among(ids: readonly string[], guard: Guard | null): Promise<R[]> {
    const rows = await this.database.read<R>(this.table.among(currentTenant().id, ids, guard));
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  /** Number of the rows on all pages of a list. Reads all of them. */
  async total(request: ListRequest, options: ListOptions, guard: Guard | null): Promise<number> {
    const matches = await this.matches(request.q);
    const counting = this.table.total(currentTenant().id, request, options, { guard, matches });
    const [row] = await this.database.read<{ count: number }>(counting);
    return row!.count;
  }

  /** Ids of the rows that a search finds; empty for a text without words; null if there are too many to use. */
  private async matches(q: string | null): Promise<string[] | null> {
    if (q === null) return null;
    const search = this.table.search(q);
    const rows = search ? await this.database.read<{ id: string }>(search) : [];
    return rows.length > FEW_MATCHES ? null : rows.map(({ id }) => id);
  }

  insert(row: R): Statement {
    return this.table.insert(row);
  }

  replace(row: R): Statement {
    return this.table.replace(row);
  }

  /** Deletes a row permanently. */
  remove(id: string): Statement {
    return this.table.remove(currentTenant().id, id);
  }

  /** The statement that fails unless the written row satisfies the guard. */
  expect(id: string, guard: Guard, permission: string): Statement {
    return this.table.expect(currentTenant().id, id, guard, permission);
  }

  /** A row with all columns empty. */
  blank(): R {
    return this.table.blank() as unknown as R; // the caller fills what must not be empty
  }

  /** The field of a violated unique constraint `<table>_<column>_key`; null for any other constraint. */
  uniqueField(constraint: string): string | null {
    const [, table = ''] = this.table.name.split('.');
    const [, column] = new RegExp(`^${table}_(.+)_key$`).exec(constraint) ?? [];
    return (column === undefined ? undefined : this.table.fieldOf(column)) ?? null;
  }

  private owned(row: R): R {
    row.tenantId = currentTenant().id;
    return this.marked(row);
  }

  /** Keeps the conditions that a row satisfies where they are never serialized. */
  private marked(row: R & Marked & { [MARKED]?: Record<string, boolean> }): R {
    if (row[MARKED]) {
      row[MARKS] = row[MARKED];
      delete row[MARKED];
    }
    return row;
  }
}
