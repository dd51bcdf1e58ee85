import { Module } from '@nestjs/common';
import { CoverageFigures } from '#libs/request-counts/coverage-figures.js';
import { ServiceFigures } from '#libs/request-counts/service-figures.js';
import { MaintenanceModule } from '#libs/maintenance/maintenance.module.js';
import { SloRecordsModule } from '../slo/slo-records.module.js';
import { SlaMeasurements } from './sla-measurement.js';
import { SlaMonths } from './sla-months.js';

/** Measured service levels without routes, for other areas and for the worker, which stores closed months. */
@Module({
  imports: [MaintenanceModule, SloRecordsModule],
  providers: [CoverageFigures, ServiceFigures, SlaMeasurements, SlaMonths],
  exports: [CoverageFigures, ServiceFigures, SlaMeasurements, SlaMonths],
})
export class SlaRecordsModule {}
