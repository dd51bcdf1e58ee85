import { Module } from '@nestjs/common';
import { Disposal } from '#libs/resource/retention/disposal.js';
import { ExpiredRecords } from '#libs/resource/retention/expired-records.js';
import { HoldsService } from './holds.service.js';
import { RetentionPoliciesService } from './policies.service.js';
import { RetentionRuns } from './retention-runs.service.js';

/** Retention without routes, for the API and the worker. */
@Module({
  providers: [Disposal, ExpiredRecords, HoldsService, RetentionPoliciesService, RetentionRuns],
  exports: [HoldsService, RetentionPoliciesService, RetentionRuns],
})
export class RetentionRecordsModule {}
