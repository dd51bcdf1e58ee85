import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import type { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import type { Guard } from '#libs/resource/lists/table.js';
import { ofCandidates } from '../candidate.visibility.js';
import type { Candidate } from '../candidates/candidate.js';
import { unknown } from './application.rules.js';

/** What actions on applications ask about the candidate. */
export interface HeldCandidate {
  /** In the archive, merged or anonymised. */
  isClosed: boolean;
  doNotContact: boolean;
}

/** Locks the candidates of applications. */
export class HeldCandidates {
  constructor(private readonly rows: ResourceRepository<Candidate>) {}

  /**
   * Locks the candidate of an application that something is about to happen to.
   * @throws Problem 400 for one that the caller may not see, 409 `record_locked` for one that is archived or anonymised.
   */
  async hold(transaction: Transaction, id: string): Promise<HeldCandidate> {
    const candidate = await this.holdPlainly(transaction, id, ofCandidates());
    if (!candidate) throw unknown('/candidateId');
    if (candidate.isClosed) throw new Problem('record_locked', 'The candidate is archived or anonymised.');
    return candidate;
  }

  /** The candidate, which nobody else changes until the transaction ends; null for one that `guard` does not let through. */
  async holdPlainly(transaction: Transaction, id: string, guard: Guard | null = null): Promise<HeldCandidate | null> {
    const row = await this.rows.lock(transaction, id, guard);
    if (row?.deletedAt !== null) return null;
    const isClosed = row.archivedAt !== null || row.anonymizedAt !== null;
    return { isClosed, doNotContact: row.consent?.doNotContact ?? false };
  }
}
