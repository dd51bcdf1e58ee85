import { Module } from '@nestjs/common';
import { MaintenanceModule } from '#libs/maintenance/maintenance.module.js';
import { ProofModule } from '#libs/proof/proof.module.js';
import { FinanceRecordsModule } from '#src/areas/finance/finance-records.module.js';
import { LinkOpeningsService } from '#src/areas/sharing/public-links/link-openings.service.js';
import { PublicLinksRecordsModule } from '#src/areas/sharing/public-links/public-links-records.module.js';
import { FileOpeningsService } from './files/file-openings.service.js';
import { PublicFilesController } from './files/public-files.controller.js';
import { PublicKeysController } from './keys/public-keys.controller.js';
import { PublicKeysService } from './keys/public-keys.service.js';
import { PublicInvoicesController } from './public-invoices.controller.js';
import { PublicInvoicesService } from './public-invoices.service.js';
import { StatusController } from './status/status.controller.js';
import { StatusService } from './status/status.service.js';

/** Routes that need no credential. */
@Module({
  imports: [FinanceRecordsModule, MaintenanceModule, ProofModule, PublicLinksRecordsModule],
  controllers: [PublicFilesController, PublicInvoicesController, PublicKeysController, StatusController],
  providers: [FileOpeningsService, LinkOpeningsService, PublicInvoicesService, PublicKeysService, StatusService],
})
export class PublicModule {}
