import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { type Statement, statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/resource.repository.js';
import type { Guard } from '#libs/resource/table.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { Candidate } from './candidate.entity.js';

const WITH_EMAIL = `select id from data.talent_candidates where tenant_id = $1 and data.fold(email) = data.fold($2)
  and deleted_at is null and archived_at is null`;
const OF_MERGED = `with recursive line as (
    select merged_into_id as id from data.talent_candidates where tenant_id = $1 and merged_into_id is not null
      and deleted_at is null and data.fold(email) = data.fold($2)
    union select t.merged_into_id from line join data.talent_candidates t on t.tenant_id = $1 and t.id = line.id
      where t.merged_into_id is not null)
  select t.id from line join data.talent_candidates t on t.tenant_id = $1 and t.id = line.id
  where t.deleted_at is null and t.archived_at is null limit 1`;
const LOCK_TWO = `select id from data.talent_candidates where tenant_id = $1 and id = any($2::uuid[])
  order by id for no key update`;
const TIE = `update data.talent_candidates set application_id = $3 where tenant_id = $1 and id = $2`;
const RATINGS = `select round(avg(s.score_hundredths) filter (where s.application_id = $3))::integer as "ofApplication",
    round(avg(s.score_hundredths))::integer as "ofCandidate"
  from data.talent_scorecards s join data.talent_applications a on a.tenant_id = s.tenant_id and a.id = s.application_id
  where s.tenant_id = $1 and a.candidate_id = $2 and s.status = 'submitted'`;
// Those that were merged into one, directly or by way of others; and what was recorded on their applications.
const EVERYTHING = `
  with recursive same as (
    select $2::uuid as id
    union
    select c.id from data.talent_candidates c join same on c.merged_into_id = same.id where c.tenant_id = $1),
  applied as (
    select id from data.talent_applications where tenant_id = $1 and candidate_id in (select id from same))
  select id, true as "isCandidate" from same
  union all select id, false from applied
  union all select id, false from data.talent_interviews where tenant_id = $1 and application_id in (select id from applied)
  union all select id, false from data.talent_scorecards where tenant_id = $1 and application_id in (select id from applied)
  union all select id, false from data.talent_offers where tenant_id = $1 and application_id in (select id from applied)`;

@Injectable()
export class CandidatesRepository extends ResourceRepository<Candidate> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Candidate);
  }

  /** Without the application that it mirrors, which is stored after it: {@link tie} follows. */
  override insert(row: Candidate): Statement {
    return super.insert({ ...row, applicationId: null });
  }

  /** Has a new candidate name its first application. */
  tie({ tenantId, id, applicationId }: Candidate): Statement {
    return statement(TIE, [tenantId, id, applicationId]);
  }

  /** Id of the live candidate with an e-mail address, in any case; null without one that `guard` lets through. */
  async idOfEmail(email: string, guard: Guard | null): Promise<string | null> {
    const [row] = await this.database.read<{ id: string }>(statement(WITH_EMAIL, [currentTenant().id, email]));
    return row && (await this.find(row.id, guard)) ? row.id : null;
  }

  /** Id of the live candidate that somebody with an e-mail address was merged into; null when nobody was. */
  async idOfMergedEmail(email: string): Promise<string | null> {
    const [row] = await this.database.read<{ id: string }>(statement(OF_MERGED, [currentTenant().id, email]));
    return row?.id ?? null;
  }

  /** Locks candidates in the order of their ids, so that two who lock the same ones do not wait for each other. */
  async lockInOrder(transaction: Transaction, ids: string[]): Promise<void> {
    await transaction.query(statement(LOCK_TWO, [currentTenant().id, ids]));
  }

  /** Ids of all records about a candidate, and which of them are those that were merged into them. */
  async everythingOf(transaction: Transaction, id: string): Promise<{ recordIds: string[]; duplicateIds: string[] }> {
    const query = statement(EVERYTHING, [currentTenant().id, id]);
    const rows = await transaction.query<{ id: string; isCandidate: boolean }>(query);
    const duplicates = rows.filter((row) => row.isCandidate && row.id !== id);
    return { recordIds: rows.map((row) => row.id), duplicateIds: duplicates.map((row) => row.id) };
  }

  /** Means of the submitted scorecards of a candidate and of one application, in hundredths; null without any. */
  async ratings(
    transaction: Transaction,
    candidateId: string,
    applicationId: string | null,
  ): Promise<{ ofApplication: number | null; ofCandidate: number | null }> {
    const query = statement(RATINGS, [currentTenant().id, candidateId, applicationId]);
    const [row] = await transaction.query<{ ofApplication: number | null; ofCandidate: number | null }>(query);
    return row!;
  }
}
