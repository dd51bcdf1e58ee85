import { Module } from '@nestjs/common';
import { DealsController } from './deals/deals.controller.js';
import { DealsRepository } from './deals/deals.repository.js';
import { DealsService } from './deals/deals.service.js';
import { PipelinesController } from './pipelines/pipelines.controller.js';
import { PipelinesRepository } from './pipelines/pipelines.repository.js';
import { PipelinesService } from './pipelines/pipelines.service.js';

/** Deals and the pipelines they move through. */
@Module({
  controllers: [DealsController, PipelinesController],
  providers: [DealsRepository, DealsService, PipelinesRepository, PipelinesService],
})
export class SalesModule {}
