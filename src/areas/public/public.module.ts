import { Module } from '@nestjs/common';
import { FinanceRecordsModule } from '#src/areas/finance/finance-records.module.js';
import { PublicLinksRecordsModule } from '#src/areas/settings/public-links/public-links-records.module.js';
import { PublicInvoicesController } from './public-invoices.controller.js';
import { PublicInvoicesService } from './public-invoices.service.js';

/** Operations that require no sign-in. */
@Module({
  imports: [FinanceRecordsModule, PublicLinksRecordsModule],
  controllers: [PublicInvoicesController],
  providers: [PublicInvoicesService],
})
export class PublicModule {}
