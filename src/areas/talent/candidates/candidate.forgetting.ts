import { cancelStatement, timerStatement } from '#libs/automation/timers.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Records } from '#libs/resource/records/records.js';
import type { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { eraseTraces } from '#libs/resource/records/traces.js';
import type { ApplicationsService } from '../applications/applications.service.js';
import type { TalentLetters } from '../talent.letters.js';
import { anonymous } from './candidate.erasure.js';
import type { CandidateAction } from './candidate.lifecycle.js';
import { everythingOf } from './candidate.queries.js';
import type { Candidate, ShownCandidate } from './candidate.js';

/** Kind of the timer for the expiry of a consent. */
export const CONSENT_EXPIRES = 'talent.candidate.consent_expired';

/** Erases data of the applications of an anonymised candidate. */
export type EraseListener = (applicationIds: string[]) => Promise<void>;

const EVENT = 'anonymized';
const MONTH_MS = 30 * 86_400_000;

/** Erases candidate data, at the latest when no legal basis for keeping it remains. */
export class CandidateForgetting {
  readonly listeners: EraseListener[] = [];

  constructor(
    private readonly records: Records<Candidate, ShownCandidate, CandidateAction>,
    private readonly repository: ResourceRepository<Candidate>,
    private readonly applications: ApplicationsService,
    private readonly letters: TalentLetters,
  ) {}

  /** Erases all data about a candidate, including merged duplicates. */
  async forget(row: Candidate): Promise<Partial<Candidate>> {
    if (row.anonymizedAt !== null) throw new Problem('record_locked', 'The candidate was anonymised already.');
    const { rows } = this.records;
    return this.records.unit(async (transaction) => {
      const known = await transaction.query<{ id: string; isCandidate: boolean }>(everythingOf(row.id));
      const recordIds = known.map(({ id }) => id);
      await eraseTraces(transaction, recordIds, rows.now());
      this.letters.cancel(transaction, recordIds, rows.now());
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
   * Anonymises a candidate whose consent has expired, unless there is another reason to keep the data: another legal
   * basis, employment, or an open application or a legal hold, in which cases the check is repeated later.
   */
  async endConsent(id: string): Promise<void> {
    const { rows, kit } = this.records;
    await this.records.unit(async (transaction) => {
      const row = await this.repository.lock(transaction, id);
      if (row?.consent?.basis !== 'consent' || row.anonymizedAt !== null || row.status === 'hired') return;
      if (row.consentExpiresAt === null || row.consentExpiresAt > rows.now()) return;
      const isOpen = row.status === 'active' && row.deletedAt === null && row.archivedAt === null;
      if (isOpen || !(await this.eraseUnlessHeld(transaction, row)))
        setTimer(transaction, id, new Date(kit.clock.nowMs() + MONTH_MS).toISOString());
    });
  }

  /** Returns false, without any effect, if a legal hold covers the candidate or something about them. */
  private async eraseUnlessHeld(transaction: Transaction, row: Candidate): Promise<boolean> {
    const { rows } = this.records;
    try {
      await transaction.savepoint(async () => rows.erase(transaction, row, await this.forget(row), EVENT));
      return true;
    } catch (error) {
      if (error instanceof Problem && error.code === 'legal_hold') return false;
      throw error;
    }
  }

  /** Sets the timer for the expiry of the consent. */
  follow(transaction: Transaction, before: Candidate | null, { id, consentExpiresAt }: Candidate): void {
    if (consentExpiresAt !== (before?.consentExpiresAt ?? null)) setTimer(transaction, id, consentExpiresAt);
  }
}

function setTimer(transaction: Transaction, key: string, dueAt: string | null): void {
  const name = { kind: CONSENT_EXPIRES, key };
  transaction.write(dueAt === null ? cancelStatement(name) : timerStatement({ ...name, dueAt }));
}
