import { Injectable } from '@nestjs/common';
import type { Guard } from '#libs/access/guard.js';
import { bulkInsert } from '#libs/database/bulk-insert.js';
import { keysOfCaller } from '#libs/auth/second-person.js';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import type { ActorView } from '#libs/resource/types/record.dto.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { AccessReviewItem, type ApplyError, OPEN } from './access-review-item.js';
import type { AccessReviewStats, DefaultDecision } from './access-review.parts.js';

const STATS = `select i.review_id as id, count(*)::int as items,
    count(*) filter (where decision = 'pending')::int as pending,
    count(*) filter (where decision = 'defer')::int as deferred,
    count(*) filter (where decision = 'keep')::int as kept,
    count(*) filter (where decision = 'revoke')::int as revoked,
    count(*) filter (where decision = 'reduce')::int as reduced,
    count(applied_at)::int as applied, count(apply_error)::int as failed,
    round((percentile_cont(0.5) within group (order by extract(epoch from decided_at - created_at)::float8)
      filter (where decision not in ('pending', 'defer') and decided_by ->> 'type' <> 'automation'))::numeric, 3)::float8
      as "medianDecisionSeconds",
    round(count(*) filter (where decision = 'keep')::numeric
      / nullif(count(*) filter (where decision not in ('pending', 'defer')), 0), 4)::float8 as "keepRate"
  from data.access_review_items i
  where i.tenant_id = $1 and i.review_id = any($2::uuid[]) and ($3::uuid is null or i.reviewer_id = $3)
  group by i.review_id`;
const SAVE = `update data.access_review_items set decision = $3, reason = $4, new_role_ids = $5, decided_by = $6,
    decided_at = $7, history = $8, apply_error = null where tenant_id = $1 and id = $2`;
const APPLIED = `update data.access_review_items set applied_at = $3, apply_error = $4 where tenant_id = $1 and id = $2`;
const DEFAULTED = `update data.access_review_items i set decision = d.decision, reason = $5, decided_by = $6, decided_at = $4,
    history = i.history || jsonb_build_array(jsonb_build_object('decision', d.decision, 'reason', $5::text, 'by', $6::jsonb,
      'at', $7::text))
  from (select id, coalesce($3, case when flags ? 'privileged' then 'revoke' else 'keep' end) as decision
    from data.access_review_items where tenant_id = $1 and review_id = $2 and decision = any($8::text[])) d
  where i.tenant_id = $1 and i.id = d.id`;
const OPEN_COUNT = `select count(*)::int as count from data.access_review_items
  where tenant_id = $1 and review_id = $2 and decision = any($3::text[])`;
const LEFT = `select count(*)::int as count from data.access_review_items
  where tenant_id = $1 and review_id = $2 and decision in ('revoke', 'reduce') and applied_at is null`;
const UNKNOWN_MEMBERS = `select m.id from unnest($2::uuid[]) m (id) where not exists (select from data.memberships k
  where k.tenant_id = $1 and k.id = m.id and k.status = 'active' and k.deleted_at is null)`;
const WAITED_FOR = `select m.id, m.name, count(*)::int as count
  from data.access_review_items i join data.memberships m on m.tenant_id = i.tenant_id and m.id = i.reviewer_id
  where i.tenant_id = $1 and i.review_id = $2 and i.decision = any($3::text[]) and m.status = 'active'
    and m.deleted_at is null
  group by m.id, m.name order by m.id`;

/** A reviewer with open items. */
export interface WaitedFor {
  id: string;
  name: string;
  count: number;
}

/** The items of access reviews. */
@Injectable()
export class AccessReviewsRepository extends ResourceRepository<AccessReviewItem> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, AccessReviewItem);
  }

  /** Ids of the keys that items are about and the person behind the caller owns, has made or has rotated. */
  keysOfCaller(items: readonly AccessReviewItem[]): Promise<ReadonlySet<string>> {
    const keys = items.filter(({ subjectType }) => subjectType === 'api_key');
    return keysOfCaller(
      this.database,
      keys.map(({ subjectId }) => subjectId),
    );
  }

  insertAll(rows: readonly AccessReviewItem[]): Statement {
    return bulkInsert(this.database.source, AccessReviewItem, rows);
  }

  /** Figures by id of the review; with `reviewerId`, of the items of one reviewer. */
  async statsOf(ids: readonly string[], reviewerId: string | null): Promise<Map<string, AccessReviewStats>> {
    const query = statement(STATS, [currentTenant().id, ids, reviewerId]);
    const rows = await this.database.read<AccessReviewStats & { id: string }>(query);
    return new Map(rows.map(({ id, ...stats }) => [id, stats]));
  }

  /** The items of a review that satisfy a guard, locked in the order of their ids. */
  lockItems(transaction: Transaction, reviewId: string, guard: Guard): Promise<AccessReviewItem[]> {
    return this.lockAll(transaction, (add) => `t.review_id = ${add(reviewId)} and ${guard(add)}`);
  }

  saveDecision({ id, decision, reason, newRoleIds, decidedBy, decidedAt, history }: AccessReviewItem): Statement {
    const values = [newRoleIds && JSON.stringify(newRoleIds), JSON.stringify(decidedBy), decidedAt];
    return statement(SAVE, [currentTenant().id, id, decision, reason, ...values, JSON.stringify(history)]);
  }

  saveOutcome(id: string, appliedAt: string | null, error: ApplyError | null): Statement {
    return statement(APPLIED, [currentTenant().id, id, appliedAt, error && JSON.stringify(error)]);
  }

  /** Decides the open items of a review; without a decision, privileged ones are revoked and the others kept. */
  decideOpen(
    reviewId: string,
    decision: DefaultDecision | null,
    { at, by, reason }: { at: string; by: ActorView; reason: string },
  ): Statement {
    const values = [reviewId, decision, at, reason, JSON.stringify(by), at, OPEN];
    return statement(DEFAULTED, [currentTenant().id, ...values]);
  }

  /** Number of items without a final decision. */
  openCount(transaction: Transaction, reviewId: string): Promise<number> {
    return this.count(transaction, statement(OPEN_COUNT, [currentTenant().id, reviewId, OPEN]));
  }

  /** Number of revocations and reductions that have not been applied. */
  leftCount(transaction: Transaction, reviewId: string): Promise<number> {
    return this.count(transaction, statement(LEFT, [currentTenant().id, reviewId]));
  }

  /** Those of the ids that are not active members. */
  async unknownMembers(transaction: Transaction, ids: readonly string[]): Promise<Set<string>> {
    const rows = await transaction.query<{ id: string }>(statement(UNKNOWN_MEMBERS, [currentTenant().id, ids]));
    return new Set(rows.map(({ id }) => id));
  }

  /** The active reviewers of a review with open items. */
  waitedFor(transaction: Transaction, reviewId: string): Promise<WaitedFor[]> {
    return transaction.query<WaitedFor>(statement(WAITED_FOR, [currentTenant().id, reviewId, OPEN]));
  }

  private async count(transaction: Transaction, query: Statement): Promise<number> {
    const [row] = await transaction.query<{ count: number }>(query);
    return row!.count;
  }
}
