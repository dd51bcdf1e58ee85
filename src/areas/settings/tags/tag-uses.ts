import { Injectable } from '@nestjs/common';
import { holds } from '#libs/auth/current-principal.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { fieldsOf } from '#libs/http/field.js';
import { fold } from '#libs/kernel/fold.js';
import { Problem } from '#libs/kernel/problem.js';
import type { RecordRow } from '#libs/resource/types/record.entity.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { Resource } from '#libs/resource/resource-registry.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { MAX_MOVED, type TagUse } from './tag.js';

interface Use {
  object: string;
  tag: string;
  count: number;
}

/** Records with tags, except in the trash. */
@Injectable()
export class TagUses {
  constructor(
    private readonly kit: ResourceKit,
    private readonly database: Database,
  ) {}

  /** Uses of tags by folded name, for types that the caller can read in the whole tenant. */
  async of(names: readonly string[]): Promise<Map<string, TagUse[]>> {
    const types = this.tagged().filter(({ definition }) => holds(definition.permissions.read));
    if (types.length === 0 || names.length === 0) return new Map();
    const query = statement(countsOf(types), [currentTenant().id, names.map(fold)]);
    const byTag = Map.groupBy(await this.database.read<Use>(query), ({ tag }) => tag);
    return new Map([...byTag].map(([tag, uses]) => [tag, uses.map(({ object, count }) => ({ object, count }))]));
  }

  /**
   * Replaces a tag on all records. Each change gets its own audit entry and event.
   * @throws Problem 409 `limit_reached` if too many records for one transaction have the tag.
   */
  async move(transaction: Transaction, from: string, to: string): Promise<void> {
    const query = statement(recordsOf(this.tagged()), [currentTenant().id, [fold(from)], MAX_MOVED + 1]);
    const records = await transaction.query<{ object: string; id: string }>(query);
    if (records.length > MAX_MOVED)
      throw new Problem('limit_reached', `More than ${MAX_MOVED} records have this tag, too many to change at once.`);
    for (const { object, id } of records)
      await this.kit.registry.ofType(object)!.service.amend(id, ({ tags }) => ({ tags: replaced(tags, from, to) }));
  }

  private tagged(): Resource[] {
    return this.kit.registry.everything().filter(({ definition }) => fieldsOf(definition.create).has('tags'));
  }
}

function countsOf(types: readonly Resource[]): string {
  const each = (type: Resource) =>
    `select k.object, k.tag, count(*)::integer as count ${carrying(type)} group by k.object, k.tag`;
  return `${types.map(each).join(' union all ')} order by 1`;
}

function recordsOf(types: readonly Resource[]): string {
  const each = (type: Resource) => `select k.object, k.record_id as id ${carrying(type)}`;
  return `${types.map(each).join(' union all ')} order by 1, 2 limit $3`;
}

/** FROM clause for the records of a type with one of the tags `$2`. */
function carrying({ definition, service }: Resource): string {
  return `from data.record_tags k join ${service.table} t
    on t.tenant_id = k.tenant_id and t.id = k.record_id and t.deleted_at is null
    where k.tenant_id = $1 and k.object = '${definition.type}' and k.tag = any($2)`;
}

/** Replaces one tag in a list, in its position and without duplicates. */
function replaced(tags: RecordRow['tags'], from: string, to: string): string[] {
  const [old, wanted] = [fold(from), fold(to)];
  const isKnown = old !== wanted && tags.some((each) => fold(each) === wanted);
  return tags.flatMap((each) => (fold(each) !== old ? [each] : isKnown ? [] : [to]));
}
