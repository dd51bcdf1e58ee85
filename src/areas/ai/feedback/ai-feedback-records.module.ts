import { Module } from '@nestjs/common';
import { FeedbackRepository } from './feedback.repository.js';

/** Feedback about results, without routes. */
@Module({ providers: [FeedbackRepository], exports: [FeedbackRepository] })
export class AiFeedbackRecordsModule {}
