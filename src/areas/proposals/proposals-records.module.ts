import { Module } from '@nestjs/common';
import { GuarantorsModule } from '#libs/auth/guarantors.module.js';
import { FinanceRecordsModule } from '#src/areas/finance/finance-records.module.js';
import { SalesRecordsModule } from '#src/areas/sales/sales-records.module.js';
import { PublicLinksRecordsModule } from '#src/areas/sharing/public-links/public-links-records.module.js';
import { ProposalAcceptance } from './proposals/proposal-acceptance.js';
import { ProposalDrafts } from './proposals/proposal-drafts.js';
import { ProposalInvoicing } from './proposals/proposal-invoicing.js';
import { ProposalLetters } from './proposals/proposal-letters.js';
import { ProposalSharingService } from './proposals/proposal-sharing.service.js';
import { ProposalsRepository } from './proposals/proposals.repository.js';
import { ProposalsService } from './proposals/proposals.service.js';

/** Proposals without routes, for the API and the worker. */
@Module({
  imports: [FinanceRecordsModule, GuarantorsModule, PublicLinksRecordsModule, SalesRecordsModule],
  providers: [
    ProposalAcceptance,
    ProposalDrafts,
    ProposalInvoicing,
    ProposalLetters,
    ProposalSharingService,
    ProposalsRepository,
    ProposalsService,
  ],
  exports: [ProposalInvoicing, ProposalSharingService, ProposalsService],
})
export class ProposalsRecordsModule {}
