import { Module } from '@nestjs/common';
import { FinanceRecordsModule } from '#src/areas/finance/finance-records.module.js';
import { PublicLinksRepository } from './public-links.repository.js';
import { PublicLinksService } from './public-links.service.js';

/** Public links without routes. */
@Module({
  imports: [FinanceRecordsModule],
  providers: [PublicLinksRepository, PublicLinksService],
  exports: [PublicLinksRepository, PublicLinksService],
})
export class PublicLinksRecordsModule {}
