import { Injectable } from '@nestjs/common';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { ApplicationsService } from '../applications/applications.service.js';
import { ofMergedEmail, withEmail } from './candidate.queries.js';
import type { Candidate } from './candidate.js';
import { CandidatesService } from './candidates.service.js';

const HAS_APPLIED = `select 1 from data.talent_applications
  where tenant_id = $1 and candidate_id = $2 and job_id = $3 and status = 'active' and deleted_at is null`;
const SOURCE = 'careers_page';

/** What somebody says who applies for a job. */
export interface Applicant extends Pick<Candidate, 'name' | 'coverLetter' | 'phones' | 'links'> {
  email: string;
}

/** Applications from outside. */
@Injectable()
export class JobApplicantsService {
  constructor(
    private readonly candidates: CandidatesService,
    private readonly applications: ApplicationsService,
  ) {}

  /**
   * Applies for a job, with consent to keep the data. A candidate with the address gets a further application, unless one
   * for the job is open; what else is known about them stays, because nobody has proved the address.
   * @param first runs at the start of the transaction; nothing more happens if it returns false
   * @throws Problem 409 `job_not_open`, and those of `first`.
   */
  async apply(
    jobId: string,
    applicant: Applicant,
    first: (transaction: Transaction) => Promise<boolean>,
  ): Promise<void> {
    const attempt = () =>
      this.candidates.records.unit(async (transaction) => {
        if (await first(transaction)) await this.enter(transaction, jobId, applicant);
      });
    try {
      await attempt();
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'duplicate') throw error;
      await attempt(); // somebody has entered the address at the same time
    }
  }

  private async enter(transaction: Transaction, jobId: string, { email, ...own }: Applicant): Promise<void> {
    const candidateId = await this.known(transaction, email);
    if (candidateId === null) {
      const consent = { basis: 'consent' }; // completed with its times
      await this.candidates.records.create({ ...own, email, jobId, source: SOURCE, consent });
      return;
    }
    await this.applications.candidates.hold(transaction, candidateId);
    const applied = statement(HAS_APPLIED, [currentTenant().id, candidateId, jobId]);
    if ((await transaction.query(applied)).length > 0) return;
    await this.applications.records.create({ candidateId, jobId, source: SOURCE });
    await this.candidates.renewConsent(candidateId);
  }

  private async known(transaction: Transaction, email: string): Promise<string | null> {
    for (const query of [withEmail(email), ofMergedEmail(email)]) {
      const [found] = await transaction.query<{ id: string }>(query);
      if (found) return found.id;
    }
    return null;
  }
}
