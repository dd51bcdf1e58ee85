import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { toListRequest } from '#libs/resource/lists/list-query.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { activityList, type ActivityEntry } from './activity.dto.js';

/** A source of entries: rows that belong to a record (`$2` its id, `$3` its type), with the columns of an entry. */
interface Source {
  table: string;
  /** Column with the time, on the rows `t`. */
  at: string;
  of: string;
  columns: string;
}

const SOURCES: Source[] = [
  {
    // Entries of transitions are not repeated. Entries without changes are reads.
    table: 'data.audit_log',
    at: 't.occurred_at',
    of: `t.target_id = $2::uuid::text and t.target_type = $3 and t.outcome = 'success'
      and t.details::jsonb -> 'changes' <> 'null' and not exists (
        select 1 from data.record_transitions m where m.tenant_id = t.tenant_id and m.record_id = $2::uuid
          and m.request_id = t.request_id and m.occurred_at = t.occurred_at)`,
    columns: `'change' as kind, t.entry::jsonb -> 'actor' as actor, t.action, null::jsonb as "from", null::jsonb as "to",
      t.details::jsonb -> 'changes' as changes, null::jsonb as comment, t.details::jsonb ->> 'reason' as reason`,
  },
  {
    table: 'data.record_transitions',
    at: 't.occurred_at',
    of: 't.record_id = $2::uuid and t.object = $3',
    columns: `'transition', t.actor, t.action, jsonb_build_object('state', t.from_state, 'stage', t.from_stage),
      jsonb_build_object('state', t.to_state, 'stage', t.to_stage), null::jsonb, null::jsonb, t.reason`,
  },
  {
    table: 'data.comments',
    at: 't.created_at',
    of: 't.record_id = $2::uuid and t.object = $3 and t.deleted_at is null',
    columns: `'comment', t.created_by, null, null::jsonb, null::jsonb, null::jsonb,
      jsonb_build_object('parentId', t.parent_id, 'body', t.body, 'visibility', t.visibility), null`,
  },
];

/** The activity of a record, merged from several tables. */
@Injectable()
export class ActivityRepository {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
  ) {}

  /** A page ordered by time. Keyset paging, so each source returns at most one page. */
  async page(object: string, recordId: string, query: Record<string, unknown>): Promise<Page<ActivityEntry>> {
    const { limit, cursor, sort, filters } = toListRequest(activityList, query);
    const { descending } = sort[0]!;
    const purpose = JSON.stringify([currentTenant().id, 'timeline.activity.list', recordId, descending, filters]);
    const after = cursor === null ? null : this.cursors.read(cursor, purpose);
    const bound = (name: string) => (filters.find(({ field }) => field === name)?.value as string | undefined) ?? null;
    const values = [currentTenant().id, recordId, object, bound('from'), bound('to'), limit + 1, ...(after ?? [])];
    const rows = await this.database.read<ActivityEntry>(statement(merged(descending, after !== null), values));
    const hasMore = rows.length > limit;
    if (hasMore) rows.pop();
    const last = rows.at(-1);
    const nextCursor = hasMore && last ? this.cursors.write([last.occurredAt, last.id], purpose) : null;
    return { data: rows, page: { limit, hasMore, nextCursor } };
  }
}

/** The statement for one direction, from the start or after an entry (`$7` and `$8` are its time and id). */
function merged(descending: boolean, continued: boolean): string {
  const direction = descending ? 'desc' : 'asc';
  const parts = SOURCES.map(({ table, at, of, columns }) => {
    const beyond = continued ? `and (${at}, t.id) ${descending ? '<' : '>'} ($7::timestamptz, $8::uuid)` : '';
    return `(
      select t.id, ${at} as at, ${columns} from ${table} t
      where t.tenant_id = $1 and ${of} and ${at} >= coalesce($4::timestamptz, '-infinity')
        and ${at} < coalesce($5::timestamptz, 'infinity') ${beyond}
      order by ${at} ${direction}, t.id ${direction} limit $6)`;
  });
  return `select id, kind, at as "occurredAt", actor, action, "from", "to", changes, comment, reason
    from (${parts.join(' union all ')}) entries order by at ${direction}, id ${direction} limit $6`;
}
