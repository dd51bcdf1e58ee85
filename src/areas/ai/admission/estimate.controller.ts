import { Body, Controller, Post } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { AiJobEstimate } from './estimate.dto.js';
import { EstimatesService } from './estimates.service.js';
import { CreateAiJob } from '../jobs/job-requests.dto.js';
import { aiJobs } from '../jobs/job.resource.js';
import { PLANNING } from '../jobs/ai-jobs.controller.js';

@Controller('/api/ai/estimate')
export class EstimateController {
  constructor(private readonly estimates: EstimatesService) {}

  @Route({
    id: 'ai.estimate',
    summary: 'Estimate an AI job',
    description:
      'Returns the estimated cost, the policy decision with its rules, and the remaining budgets. Nothing is stored, reserved or sent.',
    permission: 'ai-jobs:write',
    object: aiJobs.type,
    body: CreateAiJob,
    answer: AiJobEstimate,
    problems: [...PLANNING],
    tag: 'ai jobs',
    example: { body: { kind: 'text.summarize', input: { text: 'Acme has signed. The renewal starts in May.' } } },
  })
  @Post()
  estimate(@Body() request: CreateAiJob) {
    return this.estimates.estimate(request);
  }
}
