import { Body, Controller, Param, Query } from '@nestjs/common';
import { routesOf } from '#libs/resource/routes/object-routes.js';
import { exportSchedules, ExportScheduleQuery } from './export-schedule.js';
import { type NewSchedule, type SchedulePatch, SchedulesService } from './schedules.service.js';

const READS = { scope: '*:read', when: 'Always: the read permission of the type.' } as const;
const route = routesOf(exportSchedules, 'exports.schedules', {
  permission: 'exports:write',
  ofPerson: true,
  inPerson: true, // an access token of a partner would not last
  tag: 'exports schedules',
});

@Controller(exportSchedules.path)
export class SchedulesController {
  constructor(private readonly schedules: SchedulesService) {}

  @route.list({ summary: 'List your schedules of exports', permission: 'exports:read', query: ExportScheduleQuery })
  list(@Query() query: object) {
    return this.schedules.objects.list(query);
  }

  @route.create({
    summary: 'Export a list on a schedule',
    description:
      'The worker makes each export with your rights at that time, those of the credential that made the last change, and tells the recipients who may see the list and its fields then. It is paused when you are no longer an active member or lack a permission.',
    besides: [READS],
    problems: ['permission_denied', 'limit_reached'],
  })
  create(@Body() input: NewSchedule) {
    return this.schedules.create(input);
  }

  @route.read({ summary: 'Read a schedule of exports', permission: 'exports:read' })
  get(@Param('id') id: string) {
    return this.schedules.objects.get(id);
  }

  @route.update({
    summary: 'Change, pause or resume a schedule of exports',
    description: 'A JSON merge patch.',
    besides: [READS],
    problems: ['permission_denied'],
  })
  update(@Param('id') id: string, @Body() patch: SchedulePatch) {
    return this.schedules.update(id, patch);
  }

  @route.remove({ summary: 'Delete a schedule of exports', description: 'Exports that it has made are kept.' })
  remove(@Param('id') id: string) {
    return this.schedules.remove(id);
  }
}
