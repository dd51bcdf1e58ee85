import { Module } from '@nestjs/common';
import { AiDecisions } from './ai-decisions.js';
import { AiPauses } from './ai-pauses.js';
import { AiPolicies } from './ai-policies.js';
import { AiPoliciesRepository } from './ai-policies.repository.js';
import { AiPolicyEvents } from './ai-policy.events.js';

/** The AI policy of a tenant, without routes. */
@Module({
  providers: [AiDecisions, AiPauses, AiPolicies, AiPoliciesRepository, AiPolicyEvents],
  exports: [AiDecisions, AiPauses, AiPolicies, AiPoliciesRepository],
})
export class AiPolicyRecordsModule {}
