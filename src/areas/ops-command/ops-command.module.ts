import { Module } from '@nestjs/common';
import { MaintenanceRecordsModule } from './maintenance-windows/maintenance-records.module.js';
import { MaintenanceWindowsController } from './maintenance-windows/maintenance-windows.controller.js';
import { MaintenanceWindowsService } from './maintenance-windows/maintenance-windows.service.js';

/** Operations of a tenant: announced maintenance. */
@Module({
  imports: [MaintenanceRecordsModule],
  controllers: [MaintenanceWindowsController],
  providers: [MaintenanceWindowsService],
})
export class OpsCommandModule {}
