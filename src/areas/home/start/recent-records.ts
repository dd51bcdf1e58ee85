import { Injectable } from '@nestjs/common';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { RecordSubjects } from '#libs/resource/access/record-subjects.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { MOST_RECORDS, type RecentRecord } from './home-records.dto.js';

/** Entries of the audit log that are read for each credential of the person. */
const ENTRIES = 200;
/** Records that are looked up; the caller may not see all of them any more. */
const CANDIDATES = 3 * MOST_RECORDS;

/**
 * The records that a person changed last: their own actions and those of their keys, newest first. Entries without
 * changes are reads. Uses audit_log_actor_id_idx.
 */
const CHANGED = `select e.target_type as object, e.target_id as id, max(e.occurred_at) as "changedAt"
  from unnest(array(select k::text from directory.keys_of($2::uuid) k) || $2::uuid::text) as actor (id)
    cross join lateral (
      select a.target_type, a.target_id, a.occurred_at, a.outcome, a.details from data.audit_log a
      where a.tenant_id = $1 and a.actor_id = actor.id
      order by a.occurred_at desc, a.id desc limit ${ENTRIES}) e
  where e.outcome = 'success' and e.target_type = any($3) and e.details::jsonb -> 'changes' <> 'null'
  group by e.target_type, e.target_id order by "changedAt" desc, e.target_id limit ${CANDIDATES}`;

/** The records that the caller changed last. */
@Injectable()
export class RecentRecords {
  constructor(
    private readonly database: Database,
    private readonly registry: ResourceRegistry,
    private readonly subjects: RecordSubjects,
  ) {}

  /** Newest first, without those that the caller cannot see any more. Empty for a service key. */
  async read(): Promise<RecentRecord[]> {
    const { membershipId } = currentPrincipal();
    const types = this.registry.all().map(({ type }) => type);
    const values = [currentTenant().id, membershipId, types];
    const changed = await this.database.read<{ object: string; id: string; changedAt: string }>(
      statement(CHANGED, values),
    );
    const found = await this.subjects.visibleAmong(changed);
    return found
      .flatMap((record, index) => (record ? [{ ...record, changedAt: changed[index]!.changedAt }] : []))
      .slice(0, MOST_RECORDS);
  }
}
