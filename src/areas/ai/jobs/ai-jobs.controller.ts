import { Body, Controller, Param, Post } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { pathOf } from '#libs/resource/types/definition.js';
import { JobAdmissionService } from '../admission/job-admission.service.js';
import { JobReviewsService } from './job-reviews.service.js';
import { ApproveAiJob, CancelAiJob, CreateAiJob, RejectAiJob, RetryAiJob, ReviewAiJob } from './job-requests.dto.js';
import { JobReading } from './job-reading.js';
import { aiJobs } from './job.resource.js';
import { AiJobsService } from './ai-jobs.service.js';

const { example, type: object } = aiJobs;

/** Problems that occur when a job is created. */
const ADMISSION = [
  'ai_policy_denied',
  'ai_paused',
  'amount_mismatch',
  'agent_inactive',
  'budget_exhausted',
  'cost_cap_above_policy',
  'input_too_large',
  'model_not_priced',
] as const;
export const PLANNING = [
  'amount_mismatch',
  'agent_inactive',
  'cost_cap_above_policy',
  'input_too_large',
  'model_not_priced',
] as const;
const DECIDING = ['invalid_transition', 'not_an_approver', 'already_decided'] as const;
@Controller(pathOf(aiJobs))
export class AiJobsController extends JobReading('ai.jobs') {
  constructor(
    protected override readonly jobs: AiJobsService,
    private readonly admission: JobAdmissionService,
    private readonly reviews: JobReviewsService,
  ) {
    super();
  }

  @Route({
    id: 'ai.jobs.create',
    summary: 'Ask for an AI job',
    description:
      'The policy decides at once: the job is queued, waits for approval, or is denied. Its maximum cost is reserved in every budget that it counts for.',
    permission: 'ai-jobs:write',
    object,
    status: 201,
    body: CreateAiJob,
    answer: aiJobs.view,
    record: true,
    problems: [...ADMISSION],
    example: {
      body: {
        kind: 'text.summarize',
        input: { text: 'Acme has signed. The renewal starts in May.' },
        costCapMicros: 200_000,
      },
      answer: example,
    },
  })
  @Post()
  create(@Body() input: CreateAiJob) {
    return this.admission.create(input);
  }

  @Route({
    id: 'ai.jobs.approve',
    summary: 'Approve an AI job',
    description:
      'After the number of approvals that the policy requires, the job waits for a worker. An approver may lower the cost cap. The request can also be decided in `/api/home/approvals`.',
    permission: 'ai-jobs:approve',
    object,
    body: ApproveAiJob,
    bodyOptional: true,
    answer: aiJobs.view,
    record: true,
    problems: [...DECIDING, 'amount_mismatch'],
    example: { answer: example },
  })
  @Post(':id/approve')
  approve(@Param('id') id: string, @Body() input: ApproveAiJob) {
    return this.jobs.approve(id, input);
  }

  @Route({
    id: 'ai.jobs.reject',
    summary: 'Reject an AI job',
    description: 'One rejection is enough.',
    permission: 'ai-jobs:approve',
    object,
    body: RejectAiJob,
    answer: aiJobs.view,
    record: true,
    problems: [...DECIDING],
    example: { answer: example },
  })
  @Post(':id/reject')
  reject(@Param('id') id: string, @Body() { reason }: RejectAiJob) {
    return this.jobs.reject(id, reason);
  }

  @Route({
    id: 'ai.jobs.cancel',
    summary: 'Cancel an AI job',
    description:
      'For the requester; with `ai-jobs:manage` for anyone. A running job is stopped, and its cost so far is settled.',
    permission: 'ai-jobs:write',
    besides: [{ scope: 'ai-jobs:manage', when: 'For a job of another requester.' }],
    object,
    body: CancelAiJob,
    bodyOptional: true,
    answer: aiJobs.view,
    record: true,
    problems: ['invalid_transition'],
    example: { answer: example },
  })
  @Post(':id/cancel')
  cancel(@Param('id') id: string, @Body() { reason = null }: CancelAiJob) {
    return this.jobs.cancel(id, reason);
  }

  @Route({
    id: 'ai.jobs.retry',
    summary: 'Have an AI job run again',
    description: 'For the requester, with the input of the first run. The policy decides again.',
    permission: 'ai-jobs:write',
    besides: [{ scope: 'ai-jobs:manage', when: 'For a job of another requester.' }],
    object,
    body: RetryAiJob,
    bodyOptional: true,
    answer: aiJobs.view,
    record: true,
    problems: [...ADMISSION, 'invalid_transition', 'approval_changed', 'input_not_kept'],
    example: { answer: example },
  })
  @Post(':id/retry')
  retry(@Param('id') id: string, @Body() input: RetryAiJob) {
    return this.admission.retry(id, input);
  }

  @Route({
    id: 'ai.jobs.review',
    besides: [{ scope: '*', when: 'For the accepted changes.' }],
    summary: 'Review the changes that an AI job proposes',
    description:
      'Accepted changes are made at once in the name of the requester and with their rights; the reviewer needs the same rights. The status of each action in the answer tells whether it was taken.',
    permission: 'ai-jobs:approve',
    object,
    body: ReviewAiJob,
    bodyOptional: true,
    answer: aiJobs.view,
    record: true,
    problems: ['invalid_transition', 'permission_denied', 'tool_not_granted', 'unauthenticated'],
    example: { answer: example },
  })
  @Post(':id/review')
  review(@Param('id') id: string, @Body() input: ReviewAiJob) {
    return this.reviews.review(id, input);
  }
}
