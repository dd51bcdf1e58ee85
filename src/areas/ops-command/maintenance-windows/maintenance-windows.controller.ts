import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { AnnouncedWindow } from '#libs/maintenance/announced-window.js';
import { Route } from '#libs/http/route.js';
import { pageOf } from '#libs/resource/types/record.dto.js';
import { MaintenanceQuery, type MaintenanceWindow, maintenanceWindows } from './maintenance-window.js';
import { MaintenanceWindowsService } from './maintenance-windows.service.js';

const TAG = 'ops-command maintenance windows';

@Controller(maintenanceWindows.path)
export class MaintenanceWindowsController {
  constructor(private readonly windows: MaintenanceWindowsService) {}

  @Route({
    id: 'ops_command.maintenance_windows.list',
    summary: 'List maintenance windows',
    description: 'Windows that the operator announced for all tenants, and those of your tenant, by start.',
    permission: 'maintenance-windows:manage',
    query: MaintenanceQuery,
    answer: pageOf(AnnouncedWindow),
    problems: ['cursor_invalid'],
    tag: TAG,
  })
  @Get()
  list(@Query() query: MaintenanceQuery) {
    return this.windows.list(query);
  }

  @Route({
    id: 'ops_command.maintenance_windows.announce',
    summary: 'Announce maintenance of the tenant',
    description:
      'Minutes within the window do not count in the service-level report, which lists it. A window cannot be changed or withdrawn.',
    permission: 'maintenance-windows:manage',
    status: 201,
    body: maintenanceWindows.create,
    answer: maintenanceWindows.view,
    tag: TAG,
    example: { answer: maintenanceWindows.example },
  })
  @Post()
  announce(@Body() input: Pick<MaintenanceWindow, 'title' | 'startsAt' | 'endsAt'>) {
    return this.windows.announce(input);
  }
}
