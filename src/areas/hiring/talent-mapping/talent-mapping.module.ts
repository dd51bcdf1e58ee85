import { Module } from '@nestjs/common';
import { contributesSample } from '#libs/resource/sample/sample-data.js';
import { mappingsSample } from './mappings.sample.js';
import { TalentMappingController } from './talent-mapping.controller.js';
import { TalentMappingRecordsModule } from './talent-mapping-records.module.js';

/** Talent mappings with their routes. */
@Module({
  imports: [TalentMappingRecordsModule],
  controllers: [TalentMappingController],
  providers: [contributesSample('talent-mapping', mappingsSample)],
})
export class TalentMappingModule {}
