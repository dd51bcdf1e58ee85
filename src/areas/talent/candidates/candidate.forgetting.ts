import { cancelStatement, timerStatement } from '#libs/automation/timers.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Records } from '#libs/resource/records/records.js';
import type { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { eraseTraces } from '#libs/resource/records/traces.js';
import type { ApplicationsService } from '../applications/applications.service.js';
import { anonymous } from './candidate.erasure.js';
import type { CandidateAction } from './candidate.lifecycle.js';
import { everythingOf } from './candidate.queries.js';
import type { Candidate, ShownCandidate } from './candidate.js';

/** Kind of the timer that ends a consent. */
export const CONSENT_EXPIRES = 'talent.candidate.consent_expired';

/** Erases data that belongs to the applications of an erased person. */
export type EraseListener = (applicationIds: string[]) => Promise<void>;

const EVENT = 'anonymized';
const MONTH_MS = 30 * 86_400_000;

/** Erases what is known about candidates, at the latest when nothing allows keeping it any longer. */
export class CandidateForgetting {
  readonly listeners: EraseListener[] = [];

  constructor(
    private readonly records: Records<Candidate, ShownCandidate, CandidateAction>,
    private readonly repository: ResourceRepository<Candidate>,
    private readonly applications: ApplicationsService,
  ) {}

  /** Erases everything about a candidate, including merged duplicates. */
  async forget(row: Candidate): Promise<Partial<Candidate>> {
    if (row.anonymizedAt !== null) throw new Problem('record_locked', 'The candidate was anonymised already.');
    const { rows } = this.records;
    return this.records.unit(async (transaction) => {
      const known = await transaction.query<{ id: string; isCandidate: boolean }>(everythingOf(row.id));
      const recordIds = known.map(({ id }) => id);
      await eraseTraces(transaction, recordIds, rows.now());
      for (const { id, isCandidate } of known) {
        if (!isCandidate || id === row.id) continue;
        const duplicate = (await this.repository.lock(transaction, id))!; // candidates are never deleted for good
        if (duplicate.anonymizedAt === null)
          await rows.erase(transaction, duplicate, anonymous(duplicate, rows.now()), EVENT);
      }
      const applicationIds = await this.applications.forget(row.id);
      for (const listener of this.listeners) await listener(applicationIds);
      return anonymous(row, rows.now());
    });
  }

  /**
   * Anonymises a candidate whose consent has run out, unless there is another reason to keep what is known: another basis,
   * employment, or an application that is still open, which is looked at again later.
   */
  async endConsent(id: string): Promise<void> {
    const { rows, kit } = this.records;
    await this.records.unit(async (transaction) => {
      const row = await this.repository.lock(transaction, id);
      if (row?.consent?.basis !== 'consent' || row.anonymizedAt !== null || row.status === 'hired') return;
      if (row.consentExpiresAt === null || row.consentExpiresAt > rows.now()) return;
      if (row.status === 'active' && row.deletedAt === null && row.archivedAt === null)
        setTimer(transaction, id, new Date(kit.clock.nowMs() + MONTH_MS).toISOString());
      else await rows.erase(transaction, row, await this.forget(row), EVENT);
    });
  }

  /** Sets the timer according to the consent. */
  follow(transaction: Transaction, before: Candidate | null, { id, consentExpiresAt }: Candidate): void {
    if (consentExpiresAt !== (before?.consentExpiresAt ?? null)) setTimer(transaction, id, consentExpiresAt);
  }
}

function setTimer(transaction: Transaction, key: string, dueAt: string | null): void {
  const name = { kind: CONSENT_EXPIRES, key };
  transaction.write(dueAt === null ? cancelStatement(name) : timerStatement({ ...name, dueAt }));
}
