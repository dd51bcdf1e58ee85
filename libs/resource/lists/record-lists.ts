import { every, type Guard } from '#libs/access/guard.js';
import { requirePermission } from '#libs/auth/current-principal.js';
import type { Permission } from '#libs/auth/permissions.js';
import type { Statement } from '#libs/database/statement.js';
import { sparse } from '#libs/http/sparse.js';
import { idsIn } from '../access/references.js';
import type { TypeRules } from '../records/type-rules.js';
import type { ResourceKit } from '../resource-kit.js';
import type { Input } from '../types/decisions.js';
import type { RecordView } from '../types/record.dto.js';
import type { RecordRow } from '../types/record.entity.js';
import { labelsOf } from './labels.js';
import { type ListRequest, toListRequest } from './list-query.js';
import { ACTIONS, CUSTOM, customKeysIn, includedReferences, pick, type Shape, shapeOf } from './list-shape.js';
import type { Labels, RecordPage } from './record-page.js';
import type { ResourceRepository } from './resource.repository.js';

/** Lists the records of a type as the caller asks for them. */
export class RecordLists<R extends RecordRow, V extends RecordView, A extends string> {
  private readonly references: ReturnType<typeof includedReferences>;

  constructor(
    private readonly kit: ResourceKit,
    private readonly rules: TypeRules<R, V, A>,
    private readonly repository: ResourceRepository<R>,
  ) {
    this.references = includedReferences(rules.definition);
  }

  /** A page of the records that satisfy `seen`. */
  async page(query: Input, seen: Guard | null): Promise<RecordPage<V>> {
    const { list } = this.rules.definition;
    const shape = shapeOf(query);
    const { request, guard } = await this.requested(query, seen);
    const showsActions = shape.include.includes(ACTIONS);
    const marks = showsActions ? this.rules.rights.marks() : null;
    const { data: rows, page } = await this.repository.page(request, list, guard, marks);
    const data = rows.map((row) => (showsActions ? this.rules.show(row) : this.rules.showInList(row)));
    const isWhole = request.cursor === null && !page.hasMore;
    const [total, included] = await Promise.all([
      shape.count ? (isWhole ? data.length : this.repository.total(request, list, guard)) : null,
      this.included(data, shape),
    ]);
    const counted = total === null ? page : { ...page, total };
    const answer = { data, page: counted, ...(included && { included }) };
    if (!shape.fields) return answer;
    const fields = [...shape.fields, ...this.fieldsOf(shape)];
    return sparse({ ...answer, data: data.map((view) => pick(view, fields)) });
  }

  /**
   * The statement that selects the first `limit` records of the list, as `id` and `position` in its order. Values
   * that decide about it are those of the caller.
   */
  async selection(query: Input, seen: Guard | null, limit: number): Promise<Statement> {
    const { request, guard } = await this.requested(query, seen);
    return this.repository.selection({ ...request, limit }, this.rules.definition.list, guard);
  }

  /**
   * The records with these ids as the list shows them, whole, with what `include` asks for; without those that the
   * caller may not see, or that are in the trash unless the query includes it. Other filters do not count.
   */
  async among(ids: readonly string[], query: Input, seen: Guard | null): Promise<Required<RecordPage<V>>> {
    const { request, guard } = await this.requested(query, seen);
    const living: Guard | null = request.includeDeleted ? null : () => 't.deleted_at is null';
    const rows = await this.repository.among(ids, every(guard, living));
    const data = rows.map((row) => this.rules.showInList(row));
    const included = (await this.included(data, shapeOf(query))) ?? {};
    return { data, page: { limit: ids.length, hasMore: false, nextCursor: null }, included };
  }

  /** What a query asks for, and the limits of its records. @throws Problem 400, 403. */
  private async requested(query: Input, seen: Guard | null): Promise<{ request: ListRequest; guard: Guard | null }> {
    const { list, type } = this.rules.definition;
    await this.refuseUnknown(shapeOf(query));
    const request = toListRequest(list, query, this.kit.now());
    request.filters = await this.kit.customFields.searched(type, request.filters);
    const { trashPermission } = list;
    const guard = request.includeDeleted && trashPermission ? every(seen, this.trash(trashPermission)) : seen;
    return { request, guard };
  }

  /** A record with those of its fields that were asked for. */
  async one(view: V, query: Input): Promise<V> {
    const shape = shapeOf(query);
    await this.refuseUnknown(shape);
    return shape.fields ? sparse(pick(view, shape.fields), view.version) : view;
  }

  /** @throws Problem 400 for custom fields that the tenant has not defined. */
  private async refuseUnknown({ fields }: Shape): Promise<void> {
    const keys = customKeysIn(fields);
    if (keys.length > 0) await this.kit.customFields.refuseUnknown(this.rules.definition.type, keys);
  }

  /** The names of what the shown ids point to; null if none were asked for. */
  private async included(data: readonly V[], { include }: Shape): Promise<Labels | null> {
    if (include.every((name) => name === ACTIONS)) return null;
    const wanted = new Map<string, Set<string>>();
    const want = (table: string, values: object, field: string): void => {
      let ids = wanted.get(table);
      if (!ids) wanted.set(table, (ids = new Set()));
      for (const id of idsIn(values, field)) ids.add(id);
    };
    for (const name of include) {
      const reference = this.references.get(name);
      if (reference) for (const view of data) want(reference.table, view, reference.field);
    }
    if (include.includes(CUSTOM))
      for (const [key, table] of await this.kit.customFields.targets(this.rules.definition.type))
        for (const { customFields } of data) want(table, customFields, key);
    return labelsOf(this.kit.database, this.kit.registry, wanted);
  }

  /** Fields that an answer needs for what it includes. */
  private fieldsOf({ include }: Shape): string[] {
    return include.map((name) => this.references.get(name)?.field ?? name);
  }

  /** The records that the caller may see in the trash. @throws Problem 403 without the permission. */
  private trash(permission: Permission): Guard | null {
    requirePermission(permission, { object: this.rules.definition.type });
    const reached = this.rules.rights.limits(permission);
    return reached && ((add) => `(t.deleted_at is null or ${reached(add)})`);
  }
}
