import { Injectable } from '@nestjs/common';
import { every } from '#libs/access/guard.js';
import { callerOrNull, holds } from '#libs/auth/current-principal.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Draft } from '#libs/resource/record.entity.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ActionHandler } from '#libs/resource/resource-type.js';
import type { Guard } from '#libs/resource/table.js';
import { ApplicationsService } from '../applications/applications.service.js';
import { ofApplicationParts, ofSeenApplications } from '../candidate.visibility.js';
import { CandidatesService } from '../candidates/candidates.service.js';
import { ErasableService } from '../erasable.service.js';
import type { CreateScorecard, ScorecardRating, ScorecardView } from './scorecard.dto.js';
import type { Scorecard } from './scorecard.entity.js';
import type { ScorecardAction } from './scorecard.lifecycle.js';
import { scorecardResource } from './scorecard.resource.js';
import { ScorecardsRepository } from './scorecards.repository.js';

type Input = Record<string, unknown>;

/**
 * What interviewers think of candidates. Blind: a member sees the cards of others on an application only after having
 * submitted one on it, or with scorecards:read-all.
 */
@Injectable()
export class ScorecardsService extends ErasableService<Scorecard, ScorecardView, ScorecardAction> {
  protected override readonly handlers: Record<ScorecardAction, ActionHandler<Scorecard>> = {
    submit: (row) => this.submit(row),
  };
  protected override readonly constraints = {
    talent_scorecards_locked: () => new Problem('record_locked', 'A submitted scorecard stays as it is.'),
  };

  constructor(
    kit: ResourceKit,
    protected override readonly repository: ScorecardsRepository,
    private readonly applications: ApplicationsService,
    private readonly candidates: CandidatesService,
  ) {
    super(scorecardResource, kit, repository);
  }

  override onModuleInit(): void {
    super.onModuleInit();
    this.candidates.whenErased(async (applicationIds) => {
      const ids = await this.repository.idsOfApplications(applicationIds);
      await this.eraseAll(ids, ({ ratings }) => ({ name: 'Scorecard', summary: null, ratings: ratings.map(wordless) }));
    });
  }

  override async create(input: Input): Promise<ScorecardView> {
    const row = await this.prepare(input);
    return this.unit(async (transaction) => {
      await this.applications.holdOpen(transaction, row.applicationId);
      if (row.interviewId !== null) await this.expectInterview(row.interviewId, row.applicationId);
      return this.add(transaction, row);
    });
  }

  protected override guard(): Guard | null {
    return every(blind(), ofApplicationParts());
  }

  protected override secrecy(): Guard | null {
    return every(blind(), ofSeenApplications());
  }

  protected override derive({ score }: Scorecard): Partial<ScorecardView> {
    return { score: score === null ? null : score / 100 };
  }

  protected override async draft(body: Input): Promise<Draft<Scorecard>> {
    const input = body as unknown as CreateScorecard; // validated against it
    const interviewerId = input.interviewerId ?? callerOrNull()?.membershipId;
    if (!interviewerId)
      throw Problem.validation([
        {
          pointer: '/interviewerId',
          code: 'required',
          detail: 'The credential acts for no member: say whose card it is.',
        },
      ]);
    refuseOthers(interviewerId);
    return { ...input, interviewerId, ratings: completed(input.ratings ?? []) } as unknown as Draft<Scorecard>; // columns
  }

  protected override edit(row: Scorecard, body: Input): Partial<Scorecard> {
    refuseOthers(row.interviewerId);
    if (row.status === 'submitted') throw new Problem('record_locked', 'A submitted scorecard stays as it is.');
    const patch = body as Partial<CreateScorecard>;
    return { ...patch, ...(patch.ratings ? { ratings: completed(patch.ratings) } : {}) };
  }

  override async update(id: string, patch: Input): Promise<ScorecardView> {
    if (!('status' in patch)) return super.update(id, patch);
    return this.unit(async (transaction) => (await this.holdAround(transaction, id), super.update(id, patch)));
  }

  override async act(action: ScorecardAction, id: string, input: Input): Promise<ScorecardView> {
    return this.unit(async (transaction) => (await this.holdAround(transaction, id), super.act(action, id, input)));
  }

  /** A submitted card counts at once. */
  protected override async transitAsCaller(
    transaction: Transaction,
    row: Scorecard,
    action: ScorecardAction,
    input: Input,
  ): Promise<ScorecardView> {
    const view = await super.transitAsCaller(transaction, row, action, input);
    const { candidateId } = await this.applications.readPlainly(row.applicationId);
    await this.candidates.rate(row.applicationId, candidateId);
    return view;
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
    return { score: Math.round((total * 100) / row.ratings.length), submittedAt: this.now() };
  }

  /** Locks candidate and application first, so that of two cards submitted at once the second counts both. */
  private async holdAround(transaction: Transaction, id: string): Promise<void> {
    const { applicationId } = await this.read(id);
    const { candidateId } = await this.applications.readPlainly(applicationId);
    await this.applications.holdCandidate(transaction, candidateId);
  }

  private async expectInterview(interviewId: string, applicationId: string): Promise<void> {
    const found = await this.repository.applicationOfInterview(interviewId);
    if (found === applicationId) return;
    const detail = found === null ? 'There is no such record.' : 'The interview is about another application.';
    const code = found === null ? 'unknown_reference' : 'invalid_value';
    throw Problem.validation([{ pointer: '/interviewId', code, detail }]);
  }
}

function wordless({ criterion, score }: ScorecardRating): ScorecardRating {
  return { criterion, score, note: null };
}

function completed(ratings: ScorecardRating[]): ScorecardRating[] {
  return ratings.map(({ criterion, score, note = null }) => ({ criterion, score, note }));
}

/** @throws Problem 403 for a member who would write the card of another. */
function refuseOthers(interviewerId: string): void {
  const me = callerOrNull()?.membershipId;
  if (me && me !== interviewerId)
    throw new Problem('permission_denied', 'A scorecard is written by the interviewer whose it is.');
}

/** Own cards, and submitted ones of others for who has submitted one themselves or may read all; null for all. */
function blind(): Guard | null {
  const me = callerOrNull()?.membershipId;
  if (!me) return null;
  const isAll = holds('scorecards:read-all');
  return (add) => {
    const own = add(me);
    const others = `t.status = 'submitted' and (${add(isAll)}::boolean or exists (select 1 from data.talent_scorecards mine
        where mine.tenant_id = t.tenant_id and mine.application_id = t.application_id
          and mine.interviewer_id = ${own}::uuid and mine.status = 'submitted'))`;
    return `(t.interviewer_id = ${own}::uuid or ${others})`;
  };
}
