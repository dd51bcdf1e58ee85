import { Module } from '@nestjs/common';
import { TalentMappingController } from './talent-mapping.controller.js';
import { TalentMappingRecordsModule } from './talent-mapping-records.module.js';

/** Talent mappings with their routes. */
@Module({ imports: [TalentMappingRecordsModule], controllers: [TalentMappingController] })
export class TalentMappingModule {}
