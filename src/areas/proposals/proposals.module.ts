import { Module } from '@nestjs/common';
import { contributesSample } from '#libs/resource/sample/sample-data.js';
import { ProposalsController } from './proposals/proposals.controller.js';
import { proposalsSample } from './proposals.sample.js';
import { ProposalsRecordsModule } from './proposals-records.module.js';

/** Proposals to customers. */
@Module({
  imports: [ProposalsRecordsModule],
  providers: [contributesSample('proposals', proposalsSample)],
  controllers: [ProposalsController],
})
export class ProposalsModule {}
