import { Module } from '@nestjs/common';
import { InsightController } from './insight.controller.js';
import { InsightRecordsModule } from './insight-records.module.js';

/** What AI work comes to. */
@Module({ imports: [InsightRecordsModule], controllers: [InsightController] })
export class InsightModule {}
