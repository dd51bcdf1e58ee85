import { Module } from '@nestjs/common';
import { MaintenanceModule } from '#libs/maintenance/maintenance.module.js';
import { MaintenanceWindowsController } from './maintenance-windows/maintenance-windows.controller.js';
import { MaintenanceWindowsService } from './maintenance-windows/maintenance-windows.service.js';

/** Operations of a tenant: announced maintenance. */
@Module({
  imports: [MaintenanceModule],
  controllers: [MaintenanceWindowsController],
  providers: [MaintenanceWindowsService],
})
export class OpsCommandModule {}
