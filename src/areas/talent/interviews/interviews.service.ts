import { Injectable } from '@nestjs/common';
import { Problem } from '#libs/kernel/problem.js';
import type { Draft } from '#libs/resource/record.entity.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { Guard } from '#libs/resource/table.js';
import { ApplicationsService } from '../applications/applications.service.js';
import { ofApplicationParts, ofSeenApplications } from '../candidate.visibility.js';
import { CandidatesService } from '../candidates/candidates.service.js';
import { ErasableService } from '../erasable.service.js';
import type { CreateInterview, InterviewClashes, InterviewView } from './interview.dto.js';
import type { Interview } from './interview.entity.js';
import type { InterviewAction } from './interview.lifecycle.js';
import { interviewResource } from './interview.resource.js';
import { InterviewsRepository } from './interviews.repository.js';

type Input = Record<string, unknown>;

/** Interviews with candidates. */
@Injectable()
export class InterviewsService extends ErasableService<Interview, InterviewView, InterviewAction> {
  constructor(
    kit: ResourceKit,
    protected override readonly repository: InterviewsRepository,
    private readonly applications: ApplicationsService,
    private readonly candidates: CandidatesService,
  ) {
    super(interviewResource, kit, repository);
  }

  override onModuleInit(): void {
    super.onModuleInit();
    this.candidates.whenErased(async (applicationIds) => {
      const ids = await this.repository.idsOfApplications(applicationIds);
      await this.eraseAll(ids, () => ({ name: 'Interview', location: null }));
    });
  }

  /** To be invited is to be contacted, so that it needs an open application of somebody who may be. */
  override async create(input: Input): Promise<InterviewView> {
    const row = await this.prepare(input);
    return this.unit(async (transaction) => {
      const { doNotContact } = await this.applications.holdOpen(transaction, row.applicationId);
      if (doNotContact) throw new Problem('do_not_contact', 'The candidate does not want to be contacted.');
      return this.add(transaction, row);
    });
  }

  /** Other interviews that its people would have to be in at the same time. @throws Problem 404. */
  async clashes(id: string): Promise<InterviewClashes> {
    await this.read(id);
    return { data: await this.repository.clashesOf(id) };
  }

  protected override guard(): Guard {
    return ofApplicationParts();
  }

  protected override secrecy(): Guard | null {
    return ofSeenApplications();
  }

  protected override async draft(body: Input): Promise<Draft<Interview>> {
    const input = body as unknown as CreateInterview; // validated against it
    const kind = input.kind ?? 'video';
    const label = `${kind.charAt(0).toUpperCase()}${kind.slice(1)} interview`;
    return { ...input, name: input.name ?? label, ...times(input) } as unknown as Draft<Interview>; // columns
  }

  protected override edit(row: Interview, body: Input): Partial<Interview> {
    const patch = body as Partial<CreateInterview>;
    if (row.status !== 'scheduled' && ('startAt' in patch || 'endAt' in patch || 'interviewerIds' in patch))
      throw new Problem('record_locked', `The interview is ${row.status}: time and people stay as they are.`);
    return { ...patch, ...times({ startAt: row.startAt, endAt: row.endAt, ...patch }) };
  }
}

/** Instants in UTC. @throws Problem 400 for an interview that ends before it has begun. */
function times(input: Pick<CreateInterview, 'startAt' | 'endAt'> & { feedbackDueAt?: string | null }) {
  const { feedbackDueAt } = input;
  const startAt = new Date(input.startAt).toISOString();
  const endAt = new Date(input.endAt).toISOString();
  if (endAt <= startAt)
    throw Problem.validation([{ pointer: '/endAt', code: 'out_of_range', detail: 'It ends before it has begun.' }]);
  return { startAt, endAt, ...(feedbackDueAt ? { feedbackDueAt: new Date(feedbackDueAt).toISOString() } : {}) };
}
