import { Module } from '@nestjs/common';
import { InsightController } from './insight.controller.js';
import { InsightRecordsModule } from './insight-records.module.js';

/** Overview and usage of AI jobs. */
@Module({ imports: [InsightRecordsModule], controllers: [InsightController] })
export class InsightModule {}
