import { Module } from '@nestjs/common';
import { AuditTrail } from '#libs/audit/audit-trail.js';
import { PostureAssessor } from './posture-assessor.js';
import { PostureRepository } from './posture.repository.js';
import { PostureService } from './posture.service.js';
import { PostureSettings } from './posture-settings.service.js';

/** Security checks without routes, also for the worker, which runs them daily. */
@Module({
  providers: [AuditTrail, PostureAssessor, PostureRepository, PostureService, PostureSettings],
  exports: [PostureRepository, PostureService, PostureSettings],
})
export class PostureRecordsModule {}
