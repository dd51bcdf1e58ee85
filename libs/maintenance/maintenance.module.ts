import { Module } from '@nestjs/common';
import { MaintenanceCalendar } from './maintenance-calendar.js';

/** Announced maintenance, for reports and the status page. */
@Module({ providers: [MaintenanceCalendar], exports: [MaintenanceCalendar] })
export class MaintenanceModule {}
