import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import type { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import type { Guard } from '#libs/resource/lists/table.js';
import { ofCandidates } from '../candidate.visibility.js';
import type { Candidate } from '../candidates/candidate.js';
import { unknown } from './application.rules.js';

/** Candidate data that actions on applications need. */
export interface HeldCandidate {
  /** Archived, merged or anonymised. */
  isClosed: boolean;
  doNotContact: boolean;
}

export class HeldCandidates {
  constructor(private readonly rows: ResourceRepository<Candidate>) {}

  /**
   * Locks the candidate before a change to one of their applications.
   * @throws Problem 400 if not visible to the caller, 409 `record_locked` if archived or anonymised.
   */
  async hold(transaction: Transaction, id: string): Promise<HeldCandidate> {
    const candidate = await this.holdPlainly(transaction, id, ofCandidates());
    if (!candidate) throw unknown('/candidateId');
    if (candidate.isClosed) throw new Problem('record_locked', 'The candidate is archived or anonymised.');
    return candidate;
  }

  /** Locks the candidate until the transaction ends; null if `guard` excludes it. */
  async holdPlainly(transaction: Transaction, id: string, guard: Guard | null = null): Promise<HeldCandidate | null> {
    const row = await this.rows.lock(transaction, id, guard);
    if (row?.deletedAt !== null) return null;
    const isClosed = row.archivedAt !== null || row.anonymizedAt !== null;
    return { isClosed, doNotContact: row.consent?.doNotContact ?? false };
  }
}
