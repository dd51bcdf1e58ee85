import { Module } from '@nestjs/common';
import { SloController } from './slo.controller.js';
import { SloReconcileService } from './slo-reconcile.service.js';
import { SloRecordsModule } from './slo-records.module.js';
import { SloService } from './slo.service.js';

/** Routes of service-level objectives. */
@Module({ imports: [SloRecordsModule], controllers: [SloController], providers: [SloReconcileService, SloService] })
export class SloModule {}
