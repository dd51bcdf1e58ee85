import { Module } from '@nestjs/common';
import { AiJobsRecordsModule } from '../jobs/ai-jobs-records.module.js';
import { AiFeedbackRecordsModule } from './ai-feedback-records.module.js';
import { FeedbackController } from './feedback.controller.js';
import { FeedbackService } from './feedback.service.js';

/** Feedback about the results of jobs. */
@Module({
  imports: [AiFeedbackRecordsModule, AiJobsRecordsModule],
  controllers: [FeedbackController],
  providers: [FeedbackService],
})
export class AiFeedbackModule {}
