import { Module } from '@nestjs/common';
import { CoverageFigures } from '#libs/request-counts/coverage-figures.js';
import { GroupedRequestFigures } from '#libs/request-counts/request-figures.js';
import { ObservabilityController } from './observability.controller.js';
import { ObservabilityService } from './observability.service.js';

/** The tenant's use of the API. */
@Module({
  controllers: [ObservabilityController],
  providers: [CoverageFigures, GroupedRequestFigures, ObservabilityService],
})
export class ObservabilityModule {}
