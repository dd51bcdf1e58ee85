import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { Problem } from '#libs/kernel/problem.js';
import { onePage } from '#libs/resource/lists/page-of-all.js';
import type { Change, Decisions } from '#libs/resource/types/decisions.js';
import type { Draft } from '#libs/resource/types/record.entity.js';
import { Records } from '#libs/resource/records/records.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { Guard } from '#libs/resource/lists/table.js';
import { eraseParts } from '../applications/application.parts.js';
import { ApplicationsService } from '../applications/applications.service.js';
import { ofApplicationParts, ofSeenApplications } from '../candidate.visibility.js';
import { CandidatesService } from '../candidates/candidates.service.js';
import { InterviewLetters } from './interview.letters.js';
import type { InterviewAction } from './interview.lifecycle.js';
import { clashesOf } from './interview.queries.js';
import {
  type Interview,
  type InterviewClash,
  type InterviewClashes,
  interviews,
  type ShownInterview,
} from './interview.js';

const TIMES = ['startAt', 'endAt', 'feedbackDueAt'] as const;

@Injectable()
export class InterviewsService implements Decisions<Interview, ShownInterview, InterviewAction> {
  readonly records: Records<Interview, ShownInterview, InterviewAction>;

  constructor(
    private readonly kit: ResourceKit,
    private readonly applications: ApplicationsService,
    private readonly letters: InterviewLetters,
    candidates: CandidatesService,
  ) {
    this.records = Records.of(interviews, kit, this);
    candidates.whenErased((applicationIds) =>
      eraseParts(this.records, applicationIds, () => ({ name: 'Interview', location: null })),
    );
  }

  /** Other interviews that overlap and share a participant. @throws Problem 404. */
  async clashes(id: string): Promise<InterviewClashes> {
    await this.records.read(id);
    return onePage(await this.kit.database.read<InterviewClash>(clashesOf(id)));
  }

  guard(): Guard {
    return ofApplicationParts();
  }

  secrecy(): Guard | null {
    return ofSeenApplications();
  }

  derive(): Partial<ShownInterview> {
    return { mailStatus: null };
  }

  async detail(view: ShownInterview): Promise<ShownInterview> {
    return { ...view, mailStatus: await this.letters.stateOf(view.id) };
  }

  draft(input: Partial<Interview>): Draft<Interview> {
    const { kind = 'video' } = input;
    const label = `${kind.charAt(0).toUpperCase()}${kind.slice(1)} interview`;
    return { ...input, name: input.name ?? label, ...times(input as Interview) } as Draft<Interview>; // columns
  }

  edit(row: Interview, patch: Partial<Interview>): Partial<Interview> {
    if (row.status !== 'scheduled' && ('startAt' in patch || 'endAt' in patch || 'interviewerIds' in patch))
      throw new Problem('record_locked', `The interview is ${row.status}: time and people stay as they are.`);
    if (!TIMES.some((field) => field in patch)) return patch;
    return { ...patch, ...times({ ...row, ...patch }) };
  }

  saved(transaction: Transaction, { before, after }: Change<Interview>): Promise<void> {
    return this.letters.follow(transaction, before, after);
  }

  /**
   * An invitation contacts the candidate, so it requires an open application and permission to contact the candidate.
   */
  async admit(transaction: Transaction, { applicationId }: Interview): Promise<void> {
    const { doNotContact } = await this.applications.holdOpen(transaction, applicationId);
    if (doNotContact) throw new Problem('do_not_contact', 'The candidate does not want to be contacted.');
  }
}

/**
 * Instants in UTC.
 * @throws Problem 400 for an interview that ends before it begins or lasts more than a day, or feedback due before its
 * end.
 */
function times(input: Pick<Interview, 'startAt' | 'endAt'> & { feedbackDueAt?: string | null }): Partial<Interview> {
  const { feedbackDueAt } = input;
  const startAt = new Date(input.startAt).toISOString();
  const endAt = new Date(input.endAt).toISOString();
  if (endAt <= startAt) throw outOfRange('/endAt', 'It ends before it has begun.');
  if (Date.parse(endAt) - Date.parse(startAt) > DAY_MS) throw outOfRange('/endAt', 'An interview lasts a day at most.');
  if (!feedbackDueAt) return { startAt, endAt };
  const dueAt = new Date(feedbackDueAt).toISOString();
  if (dueAt < endAt) throw outOfRange('/feedbackDueAt', 'Feedback cannot be due before the interview ends.');
  return { startAt, endAt, feedbackDueAt: dueAt };
}

function outOfRange(pointer: string, detail: string): Problem {
  return Problem.validation([{ pointer, code: 'out_of_range', detail }]);
}
