import type { Transaction } from '#libs/database/transaction.js';
import { fold } from '#libs/kernel/fold.js';
import { Problem } from '#libs/kernel/problem.js';
import { mergedRefs, mergedTexts } from '#libs/resource/records/carrying.js';
import { moveReferences } from '#libs/resource/records/merged-references.js';
import type { Records } from '#libs/resource/records/records.js';
import type { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import type { ApplicationsService } from '../applications/applications.service.js';
import { NO_CONSENT } from './candidate.consent.js';
import type { CandidateAction } from './candidate.lifecycle.js';
import { mirrorOf } from './candidate.mirror.js';
import { DEFER_APPLICATION, lockInOrder, type Ratings, ratingsOf } from './candidate.queries.js';
import { type Candidate, candidates, type ShownCandidate } from './candidate.js';

const MAX = 10;

/** Merges duplicate candidates. */
export class CandidateMerging {
  constructor(
    private readonly records: Records<Candidate, ShownCandidate, CandidateAction>,
    private readonly repository: ResourceRepository<Candidate>,
    private readonly applications: ApplicationsService,
  ) {}

  /**
   * Merges a candidate into another one, which receives the applications and any new addresses. The merged candidate is
   * archived permanently.
   * @throws Problem 400 for an unknown target, 404, 409 `record_locked` for a hired, archived or anonymised candidate.
   */
  async merge(id: string, intoId: string): Promise<ShownCandidate> {
    if (intoId === id) throw intoFault('invalid_value', 'A candidate cannot be merged into themselves.');
    const { rows, rules } = this.records;
    return this.records.unit(async (transaction) => {
      await transaction.query(lockInOrder([id, intoId]));
      const row = await rows.lock(transaction, id);
      const into = await this.lockTarget(transaction, intoId);
      for (const each of [row, into]) refuseClosed(each);
      if (row.status === 'hired') throw new Problem('record_locked', 'A hired candidate cannot be merged away.');
      transaction.write(DEFER_APPLICATION);
      const applications = await this.applications.giveAll(id, intoId);
      await moveReferences(this.records.kit, transaction, { object: candidates.type, from: id, into: intoId });
      const [ratings] = await transaction.query<Ratings>(ratingsOf(intoId, null));
      const refs = mergedRefs(into, row);
      const gone = { archivedAt: rows.now(), mergedIntoId: intoId, applicationId: null, externalRefs: refs.from };
      const merged = await rows.apply(transaction, row, gone, 'merged', { riskLevel: 'medium' });
      const own = applications.find((each) => each.id === into.applicationId)!; // every candidate has one
      const latest = applications.reduce((a, b) => (b.lastActivityAt > a.lastActivityAt ? b : a), own);
      const standing = into.status === 'hired' ? {} : mirrorOf(latest);
      const taken = {
        ...addressesOf(into, row),
        ...restrictionsOf(into, row),
        externalRefs: refs.into,
        rating: ratings!.ofCandidate,
      };
      await rows.apply(transaction, into, { ...standing, ...taken }, 'updated');
      rows.expectNoGain(transaction, into);
      return rules.show(merged);
    });
  }

  private async lockTarget(transaction: Transaction, id: string): Promise<Candidate> {
    const { rights } = this.records.rules;
    const into = await this.repository.lock(transaction, id, this.records.visible(), rights.marks());
    if (into?.deletedAt !== null) throw intoFault('unknown_reference', 'There is no such candidate to merge into.');
    rights.require(into, candidates.permissions.write);
    return into;
  }
}

/** @throws Problem 409 `record_locked` for an archived or anonymised candidate. */
export function refuseClosed({ archivedAt, anonymizedAt }: Candidate): void {
  if (archivedAt !== null || anonymizedAt !== null)
    throw new Problem('record_locked', 'The candidate is archived or anonymised.');
}

/** New addresses that a candidate receives from a merged one. */
function addressesOf(into: Candidate, from: Candidate): Partial<Candidate> {
  const email = into.email ?? from.email;
  const others = from.email === null ? from.emails : [from.email, ...from.emails];
  const emails = mergedTexts(into.emails, others, MAX + 1).filter((each) => fold(each) !== fold(email ?? ''));
  return { email, emails: emails.slice(0, MAX), phones: mergedTexts(into.phones, from.phones, MAX) };
}

/** The stricter of the restrictions of both, and the latest consent: the decision of one person. */
function restrictionsOf(into: Candidate, from: Candidate): Partial<Candidate> {
  const isPrivate = into.isPrivate || from.isPrivate;
  if (from.consent === null) return { isPrivate };
  const { doNotContact, ...given } = from.consent;
  const own = into.consent ?? NO_CONSENT;
  const latest = (given.givenAt ?? '') > (own.givenAt ?? '') ? given : {};
  return { isPrivate, consent: { ...own, ...latest, doNotContact: own.doNotContact || doNotContact } };
}

/** 400 for an invalid merge target. */
function intoFault(code: string, detail: string): Problem {
  return Problem.validation([{ pointer: '/intoId', code, detail }]);
}
