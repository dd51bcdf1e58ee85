import { Module } from '@nestjs/common';
import { controllerOf } from '#libs/resource/routes/controller-of.js';
import { proposals } from './proposals/proposal.js';
import { ProposalsService } from './proposals/proposals.service.js';
import { ProposalsRecordsModule } from './proposals-records.module.js';

/** Proposals to customers. */
@Module({
  imports: [ProposalsRecordsModule],
  controllers: [controllerOf(proposals, ProposalsService)],
})
export class ProposalsModule {}
