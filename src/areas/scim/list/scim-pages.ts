import { Injectable } from '@nestjs/common';
import { Cursors } from '#libs/kernel/cursor.js';
import { Database } from '#libs/database/database.js';
import type { Statement } from '#libs/database/statement.js';
import { compileFilter } from '#libs/scim-language/filter-sql.js';
import type { FilterTable } from '#libs/scim-language/filter-table.js';
import { parseFilter } from '#libs/scim-language/parse-filter.js';
import { type Projection, readProjection } from '#libs/scim-language/projection.js';
import type { Resource } from '#libs/scim-language/resource.js';
import type { ResourceSchema } from '#libs/scim-language/resource-schema.js';
import { compileSort } from '#libs/scim-language/sort.js';
import { URN } from '#libs/scim-language/urn.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { ListRequest } from './list-request.js';
import { after, anywhere, type Hits, onwards, selection } from './page-statements.js';

/** A page of resources. `Source:` RFC 7644 section 3.4.2, RFC 9865. */
export interface ListResponse {
  schemas: string[];
  totalResults: number;
  itemsPerPage: number;
  startIndex?: number;
  nextCursor?: string;
  Resources: Resource[];
}

/** Storage and presentation of one resource type. */
export interface ListSource {
  schema: ResourceSchema;
  table: FilterTable;
  /** Table and alias for the FROM clause. Has `tenant_id`, `id`, `seq` and `deleted_at`. */
  from: string;
  alias: string;
  /** The existing resources among these ids, in the same order. */
  load(ids: readonly string[], projection: Projection): Promise<Resource[]>;
}

/** Pages of users and of groups, by index and by cursor. */
@Injectable()
export class ScimPages {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
  ) {}

  /** @throws ScimError `invalidFilter`, `invalidValue`; Problem `cursor_invalid`. */
  async list(source: ListSource, request: ListRequest): Promise<ListResponse> {
    const projection = readProjection(source.schema, request.attributes, request.excludedAttributes);
    return request.cursor === undefined
      ? this.byIndex(source, request, projection)
      : this.byCursor(source, request, request.cursor, projection);
  }

  private async byIndex(source: ListSource, request: ListRequest, projection: Projection): Promise<ListResponse> {
    const { startIndex, count } = request;
    const { ids, total } = await this.hits(source, request, startIndex - 1, count);
    const resources = await source.load(ids, projection);
    return { ...listOf(resources, total), startIndex };
  }

  /**
   * In creation order, a cursor names the last resource of the previous page, so none is skipped when others are
   * deleted; in any other order it is an offset.
   */
  private async byCursor(
    source: ListSource,
    request: ListRequest,
    cursor: string,
    projection: Projection,
  ): Promise<ListResponse> {
    const { filter, sortBy, sortOrder, count } = request;
    const purpose = JSON.stringify([currentTenant().id, source.schema.name, filter, sortBy, sortOrder]);
    const passed = cursor === '' ? 0 : Number(this.cursors.read(cursor, purpose)[0]);
    const { ids, total, seqs } =
      sortBy === undefined
        ? await this.hitsAfter(source, request, passed, count + 1)
        : await this.hits(source, request, passed, count + 1);
    const hasMore = count > 0 && ids.length > count;
    const resources = await source.load(ids.slice(0, count), projection);
    const position = sortBy === undefined ? seqs[count - 1] : passed + count;
    const nextCursor = hasMore ? { nextCursor: this.cursors.write([position ?? 0], purpose) } : {};
    return { ...listOf(resources, total), ...nextCursor };
  }

  private hits(source: ListSource, request: ListRequest, offset: number, limit: number): Promise<Hits> {
    const { filter, sortBy, sortOrder, besides } = request;
    const order = sortBy === undefined ? null : compileSort(source.schema, source.table, sortBy, sortOrder);
    if (filter === undefined && order === null) return this.read(anywhere(source, offset, limit));
    return this.read(selection(source, { filter: compiled(source, filter, besides), order, offset, limit }));
  }

  private hitsAfter(source: ListSource, request: ListRequest, seq: number, limit: number): Promise<Hits> {
    const filter = compiled(source, request.filter);
    return this.read(filter ? onwards(source, filter, seq, limit) : after(source, seq, limit));
  }

  private async read(query: Statement): Promise<Hits> {
    const [hits] = await this.database.read<Hits>(query);
    return hits!;
  }
}

/** The SQL condition of a filter, with its parameters after the tenant's. */
function compiled(
  { schema, table }: ListSource,
  filter: string | undefined,
  others?: readonly ResourceSchema[],
): { sql: string; values: unknown[] } | null {
  if (filter === undefined) return null;
  const values: unknown[] = [currentTenant().id];
  return { sql: compileFilter(parseFilter(schema, filter, others), table, values), values };
}

function listOf(resources: Resource[], total: number): ListResponse {
  return {
    schemas: [URN.listResponse],
    totalResults: total,
    itemsPerPage: resources.length,
    Resources: resources,
  };
}
