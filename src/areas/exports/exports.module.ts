import { Module } from '@nestjs/common';
import { contributesSample } from '#libs/resource/sample/sample-data.js';
import { ExportsRecordsModule } from './exports-records.module.js';
import { exportsSample } from './exports.sample.js';
import { ExportsController } from './jobs/exports.controller.js';
import { ExportsService } from './jobs/exports.service.js';
import { SchedulesController } from './schedules/schedules.controller.js';
import { SchedulesService } from './schedules/schedules.service.js';

/** Lists as files: on request, in the response, and on a schedule. */
@Module({
  imports: [ExportsRecordsModule],
  controllers: [SchedulesController, ExportsController], // `schedules` is no id
  providers: [contributesSample('exports', exportsSample), ExportsService, SchedulesService],
})
export class ExportsModule {}
