import { Module } from '@nestjs/common';
import { PublicLinksRepository } from './public-links.repository.js';
import { PublicLinksService } from './public-links.service.js';

/** Public links without routes. */
@Module({
  providers: [PublicLinksRepository, PublicLinksService],
  exports: [PublicLinksRepository, PublicLinksService],
})
export class PublicLinksRecordsModule {}
