import { Controller } from '@nestjs/common';
import { JobReading } from './job-reading.js';
import { AiJobsService } from './ai-jobs.service.js';

/** The same routes under the path `intelligence`. */
@Controller('/api/v1/intelligence/jobs')
export class IntelligenceJobsController extends JobReading('intelligence.jobs') {
  constructor(protected override readonly jobs: AiJobsService) {
    super();
  }
}
