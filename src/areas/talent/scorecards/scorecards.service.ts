import { Injectable } from '@nestjs/common';
import { every } from '#libs/access/guard.js';
import { callerOrNull } from '#libs/auth/current-principal.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Asked, Decisions, Input } from '#libs/resource/types/decisions.js';
import type { Draft } from '#libs/resource/types/record.entity.js';
import { Records } from '#libs/resource/records/records.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { Guard } from '#libs/resource/lists/table.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { eraseParts } from '../applications/application.parts.js';
import { ApplicationsService } from '../applications/applications.service.js';
import { ofApplicationParts, ofSeenApplications } from '../candidate.visibility.js';
import { CandidatesService } from '../candidates/candidates.service.js';
import type { ScorecardAction } from './scorecard.lifecycle.js';
import { blind, refuseOthers } from './scorecard.visibility.js';
import { type Scorecard, type ScorecardRating, scorecards, type ShownScorecard } from './scorecard.js';

const INTERVIEW = `select application_id as "applicationId" from data.talent_interviews
  where tenant_id = $1 and id = $2 and deleted_at is null`;
const isLocked = () => new Problem('record_locked', 'A submitted scorecard stays as it is.');

/**
 * Interviewers' assessments of candidates. Blind: a member sees other members' cards on an application only after
 * submitting one, or with interview-scorecards:read-all.
 */
@Injectable()
export class ScorecardsService implements Decisions<Scorecard, ShownScorecard, ScorecardAction> {
  readonly actions = { submit: (row: Scorecard) => this.submit(row) };
  readonly constraints = { talent_scorecards_locked: isLocked };
  readonly records: Records<Scorecard, ShownScorecard, ScorecardAction>;

  constructor(
    kit: ResourceKit,
    private readonly applications: ApplicationsService,
    private readonly candidates: CandidatesService,
  ) {
    this.records = Records.of(scorecards, kit, this);
    candidates.whenErased((applicationIds) =>
      eraseParts(this.records, applicationIds, (row) => ({ name: 'Scorecard', ...this.erased(row) })),
    );
  }

  /** The words go; what is counted stays. */
  erased({ ratings, recommendation }: Scorecard): Partial<Scorecard> {
    return { summary: null, recommendation, ratings: ratings.map((rating) => ({ ...rating, note: null })) };
  }

  guard(): Guard | null {
    return every(blind(), ofApplicationParts());
  }

  secrecy(): Guard | null {
    return every(blind(), ofSeenApplications());
  }

  derive({ score }: Scorecard): Partial<ShownScorecard> {
    return { score: score === null ? null : score / 100 };
  }

  draft(input: Partial<Scorecard>): Draft<Scorecard> {
    const { interviewerId = callerOrNull()?.membershipId, ratings = [] } = input;
    if (!interviewerId) {
      const detail = 'The credential acts for no member: say whose card it is.';
      throw Problem.validation([{ pointer: '/interviewerId', code: 'required', detail }]);
    }
    refuseOthers(interviewerId);
    return { ...input, interviewerId, ratings: completed(ratings) } as Draft<Scorecard>; // columns
  }

  edit(row: Scorecard, patch: Partial<Scorecard>): Partial<Scorecard> {
    refuseOthers(row.interviewerId);
    if (row.status === 'submitted') throw isLocked();
    return { ...patch, ...(patch.ratings ? { ratings: completed(patch.ratings) } : {}) };
  }

  /** Candidate and application are locked first, so the second of two concurrent submissions counts both. */
  around<T>({ verb, id, input }: Asked, work: (input: Input) => Promise<T>): Promise<T> {
    if (id === null || (verb === 'update' && !('status' in input))) return work(input);
    return this.records.unit(async (transaction) => {
      const { applicationId } = await this.records.read(id);
      const { candidateId } = await this.applications.records.readPlainly(applicationId);
      await this.applications.candidates.hold(transaction, candidateId);
      return work(input);
    });
  }

  async admit(transaction: Transaction, { applicationId, interviewId }: Scorecard): Promise<void> {
    await this.applications.holdOpen(transaction, applicationId);
    if (interviewId !== null) await this.expectInterview(transaction, interviewId, applicationId);
  }

  /** A submitted card counts immediately. */
  async told({ applicationId }: ShownScorecard): Promise<void> {
    const { candidateId } = await this.applications.records.readPlainly(applicationId);
    await this.candidates.rate(applicationId, candidateId);
  }

  private submit(row: Scorecard): Partial<Scorecard> {
    refuseOthers(row.interviewerId);
    const missingFields = [
      ...(row.ratings.length === 0 ? ['ratings'] : []),
      ...(row.recommendation === null ? ['recommendation'] : []),
    ];
    if (missingFields.length > 0)
      throw new Problem('required_fields_missing', `A submitted card needs ${missingFields.join(' and ')}.`, {
        extensions: { missingFields },
      });
    const total = row.ratings.reduce((sum, { score }) => sum + score, 0);
    return { score: Math.round((total * 100) / row.ratings.length), submittedAt: this.records.rows.now() };
  }

  private async expectInterview(transaction: Transaction, id: string, applicationId: string): Promise<void> {
    const query = statement(INTERVIEW, [currentTenant().id, id]);
    const [found] = await transaction.query<{ applicationId: string }>(query);
    if (found?.applicationId === applicationId) return;
    const detail = found ? 'The interview is about another application.' : 'There is no such record.';
    const code = found ? 'invalid_value' : 'unknown_reference';
    throw Problem.validation([{ pointer: '/interviewId', code, detail }]);
  }
}

function completed(ratings: ScorecardRating[]): ScorecardRating[] {
  return ratings.map(({ criterion, score, note = null }) => ({ criterion, score, note }));
}
