import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/resource.repository.js';
import { type Guard, Table } from '#libs/resource/table.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { Candidate } from '../candidates/candidate.entity.js';
import { Application } from './application.entity.js';

/** What actions on applications ask about the candidate. */
export interface HeldCandidate {
  /** In the archive, merged or anonymised. */
  isClosed: boolean;
  doNotContact: boolean;
}

/** An offer that has neither been declined nor taken back. */
export interface LiveOffer {
  id: string;
  status: string;
  jobTitle: string | null;
}

const OFFER = `select id, status, job_title as "jobTitle" from data.talent_offers
  where tenant_id = $1 and application_id = $2 and status in ('draft', 'pending_approval', 'approved', 'sent', 'accepted')`;
const OPEN_OF_JOB = `select a.id, a.candidate_id as "candidateId" from data.talent_applications a
    join data.talent_candidates c on c.tenant_id = a.tenant_id and c.id = a.candidate_id
  where a.tenant_id = $1 and a.job_id = $2 and a.status = 'active' and c.deleted_at is null order by a.candidate_id, a.id`;
const OF_CANDIDATE = `select id from data.talent_applications where tenant_id = $1 and candidate_id = $2 order by id`;

@Injectable()
export class ApplicationsRepository extends ResourceRepository<Application> {
  private readonly candidates: Table;

  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Application);
    this.candidates = new Table(database.source, Candidate);
  }

  /** The candidate, which nobody else changes until the transaction ends; null for one that `guard` does not let through. */
  async holdCandidate(transaction: Transaction, id: string, guard: Guard | null): Promise<HeldCandidate | null> {
    const [row] = await transaction.query<Candidate>(this.candidates.lock(currentTenant().id, id, guard));
    if (row?.deletedAt !== null) return null;
    const isClosed = row.archivedAt !== null || row.anonymizedAt !== null;
    return { isClosed, doNotContact: row.consent?.doNotContact ?? false };
  }

  /** The one live offer of an application; null when it has none. */
  async liveOffer(transaction: Transaction, applicationId: string): Promise<LiveOffer | null> {
    const query = statement(OFFER, [currentTenant().id, applicationId]);
    return (await transaction.query<LiveOffer>(query))[0] ?? null;
  }

  /** Open applications for a job of candidates outside the trash, in the order in which candidates are locked. */
  openOfJob(transaction: Transaction, jobId: string): Promise<{ id: string; candidateId: string }[]> {
    return transaction.query(statement(OPEN_OF_JOB, [currentTenant().id, jobId]));
  }

  /** All applications of a candidate, locked. */
  async lockOfCandidate(transaction: Transaction, candidateId: string): Promise<Application[]> {
    const rows = await transaction.query<{ id: string }>(statement(OF_CANDIDATE, [currentTenant().id, candidateId]));
    const locked: Application[] = [];
    for (const { id } of rows) locked.push((await this.lock(transaction, id))!);
    return locked;
  }
}
