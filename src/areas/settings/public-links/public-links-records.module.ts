import { Module } from '@nestjs/common';
import { LinkOpeningsService } from './link-openings.service.js';
import { PublicLinksRepository } from './public-links.repository.js';

/** Public links without routes. */
@Module({
  providers: [LinkOpeningsService, PublicLinksRepository],
  exports: [LinkOpeningsService, PublicLinksRepository],
})
export class PublicLinksRecordsModule {}
