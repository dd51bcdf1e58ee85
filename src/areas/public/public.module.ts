import { Module } from '@nestjs/common';
import { ProofModule } from '#libs/proof/proof.module.js';
import { FinanceRecordsModule } from '#src/areas/finance/finance-records.module.js';
import { PublicLinksRecordsModule } from '#src/areas/settings/public-links/public-links-records.module.js';
import { PublicKeysController } from './keys/public-keys.controller.js';
import { PublicKeysService } from './keys/public-keys.service.js';
import { PublicInvoicesController } from './public-invoices.controller.js';
import { PublicInvoicesService } from './public-invoices.service.js';

/** Routes that need no credential. */
@Module({
  imports: [FinanceRecordsModule, ProofModule, PublicLinksRecordsModule],
  controllers: [PublicInvoicesController, PublicKeysController],
  providers: [PublicInvoicesService, PublicKeysService],
})
export class PublicModule {}
