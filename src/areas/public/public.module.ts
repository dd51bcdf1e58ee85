import { Module } from '@nestjs/common';
import { MaintenanceModule } from '#libs/maintenance/maintenance.module.js';
import { ProofModule } from '#libs/proof/proof.module.js';
import { FinanceRecordsModule } from '#src/areas/finance/finance-records.module.js';
import { LinkOpeningsService } from '#src/areas/sharing/public-links/link-openings.service.js';
import { PublicLinksRecordsModule } from '#src/areas/sharing/public-links/public-links-records.module.js';
import { FileOpeningsService } from './files/file-openings.service.js';
import { PublicFilesController } from './files/public-files.controller.js';
import { TalentRecordsModule } from '#src/areas/talent/talent-records.module.js';
import { WorkRecordsModule } from '#src/areas/work/work-records.module.js';
import { PublicKeysController } from './keys/public-keys.controller.js';
import { PublicKeysService } from './keys/public-keys.service.js';
import { CareersController } from './careers/careers.controller.js';
import { CareersService } from './careers/careers.service.js';
import { PublicInvoicesController } from './invoices/public-invoices.controller.js';
import { PublicInvoicesService } from './invoices/public-invoices.service.js';
import { MailSubscriptionsController } from './mail-subscriptions/mail-subscriptions.controller.js';
import { MailSubscriptionsService } from './mail-subscriptions/mail-subscriptions.service.js';
import { PublicMilestonesController } from './milestones/public-milestones.controller.js';
import { PublicMilestonesService } from './milestones/public-milestones.service.js';
import { ProposalsRecordsModule } from '#src/areas/proposals/proposals-records.module.js';
import { PublicProposalsController } from './proposals/public-proposals.controller.js';
import { PublicProposalsService } from './proposals/public-proposals.service.js';
import { StatusController } from './status/status.controller.js';
import { StatusService } from './status/status.service.js';
import { TenantPages } from './tenant-pages.service.js';
import { PublicTenantsController } from './tenants/public-tenants.controller.js';

/** Routes that need no credential. */
@Module({
  imports: [
    FinanceRecordsModule,
    MaintenanceModule,
    ProofModule,
    ProposalsRecordsModule,
    PublicLinksRecordsModule,
    TalentRecordsModule,
    WorkRecordsModule,
  ],
  controllers: [
    CareersController,
    MailSubscriptionsController,
    PublicFilesController,
    PublicInvoicesController,
    PublicKeysController,
    PublicMilestonesController,
    PublicProposalsController,
    PublicTenantsController,
    StatusController,
  ],
  providers: [
    CareersService,
    FileOpeningsService,
    LinkOpeningsService,
    MailSubscriptionsService,
    PublicInvoicesService,
    PublicKeysService,
    PublicMilestonesService,
    PublicProposalsService,
    StatusService,
    TenantPages,
  ],
})
export class PublicModule {}
