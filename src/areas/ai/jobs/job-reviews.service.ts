import { Injectable } from '@nestjs/common';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import type { ReviewAiJob } from './job-requests.dto.js';
import type { AiJob, ShownAiJob } from './job.js';
import type { ProposedAction } from './job.parts.js';
import { AiJobsService } from './ai-jobs.service.js';
import { ProposedActions } from '../tools/proposed-actions.js';

/** Reviews of the changes that jobs propose. */
@Injectable()
export class JobReviewsService {
  constructor(
    private readonly jobs: AiJobsService,
    private readonly actions: ProposedActions,
  ) {}

  /**
   * Applies the accepted changes as the requester, and stores the outcomes. The reviewer needs the permission for them
   * too.
   * @throws Problem 400 for unknown actions, or actions in both lists or in neither; 403, 404, 409.
   */
  async review(id: string, { accept = [], reject = [], reason = null }: ReviewAiJob): Promise<ShownAiJob> {
    return this.jobs.records.unit(async (transaction) => {
      const row = await this.jobs.lockToReview(transaction, id);
      this.jobs.records.rules.refuseImpossible(row, 'review');
      const accepted = decided(row, accept, reject);
      for (const action of row.proposedActions) if (accepted.has(action.id)) await this.actions.requireOwnRight(action);
      const proposedActions: ProposedAction[] = [];
      for (const action of row.proposedActions)
        proposedActions.push(accepted.has(action.id) ? await this.actions.apply(row, action) : rejected(action));
      return this.jobs.move(transaction, row, 'review', { proposedActions, reason });
    });
  }
}

function rejected(action: ProposedAction): ProposedAction {
  return action.status === 'proposed' ? { ...action, status: 'rejected' } : action;
}

/** The accepted actions; each open action must be in one of the lists. @throws Problem 400. */
function decided({ proposedActions }: AiJob, accept: readonly string[], reject: readonly string[]): Set<string> {
  const open = new Set(proposedActions.filter(({ status }) => status === 'proposed').map(({ id }) => id));
  const [accepted, refused] = [new Set(accept), new Set(reject)];
  const unknown = (list: readonly string[], name: string): Violation[] =>
    list.flatMap((id, index) =>
      open.has(id)
        ? []
        : [{ pointer: `/${name}/${index}`, code: 'unknown_action', detail: 'No such action waits for a decision.' }],
    );
  const violations = [...unknown(accept, 'accept'), ...unknown(reject, 'reject')];
  for (const [index, id] of reject.entries())
    if (accepted.has(id))
      violations.push({ pointer: `/reject/${index}`, code: 'not_unique', detail: 'The action is accepted too.' });
  const left = [...open].filter((id) => !accepted.has(id) && !refused.has(id));
  if (left.length > 0)
    violations.push({ pointer: '/accept', code: 'undecided', detail: `Nothing is said about ${left.join(', ')}.` });
  if (violations.length > 0) throw Problem.validation(violations);
  return accepted;
}
