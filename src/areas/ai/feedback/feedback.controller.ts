import { Body, Controller, Param, Post } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { feedbacks, type GivenFeedback } from './feedback.js';
import { FeedbackService } from './feedback.service.js';

@Controller('api/ai/jobs')
export class FeedbackController {
  constructor(private readonly feedback: FeedbackService) {}

  @Route({
    id: 'ai.jobs.feedback',
    summary: 'Rate the result of an AI job',
    description: 'Each person rates a job once; another rating replaces it. The job shows it.',
    permission: 'ai-jobs:write',
    object: 'intelligence.job',
    body: feedbacks.create,
    answer: feedbacks.view,
    problems: ['not_found'],
    example: { answer: { ...feedbacks.example, correctedOutput: null } },
  })
  @Post(':id/feedback')
  give(@Param('id') id: string, @Body() input: GivenFeedback) {
    return this.feedback.give(id, input);
  }
}
