import { Module } from '@nestjs/common';
import { PublicLinksRecordsModule } from './public-links/public-links-records.module.js';
import { PublicLinksController } from './public-links/public-links.controller.js';

/** Links that show a record to somebody without an account. */
@Module({
  imports: [PublicLinksRecordsModule],
  controllers: [PublicLinksController],
})
export class SharingModule {}
