import { Module } from '@nestjs/common';
import { AiPolicyController } from './ai-policy.controller.js';
import { AiPolicyRecordsModule } from './ai-policy-records.module.js';
import { AiPolicyService } from './ai-policy.service.js';
import { AutomationController } from './automation.controller.js';
import { AutomationService } from './automation.service.js';

/** The AI policy and the kill switch. */
@Module({
  imports: [AiPolicyRecordsModule],
  controllers: [AiPolicyController, AutomationController],
  providers: [AiPolicyService, AutomationService],
})
export class AiPolicyModule {}
