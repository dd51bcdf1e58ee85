import { Body, Controller, Post } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { pathOf } from '#libs/resource/definition.js';
import { ResourceController } from '#libs/resource/resource.controller.js';
import { StartTimer, StopTimer, TimeEntryView } from './time-entry.dto.js';
import { timeEntryResource } from './time-entry.resource.js';
import { TimeEntriesService } from './time-entries.service.js';

const { type, permissions, example } = timeEntryResource;

@Controller(pathOf(timeEntryResource))
export class TimeEntriesController extends ResourceController(timeEntryResource) {
  constructor(private readonly entries: TimeEntriesService) {
    super(entries);
  }

  @Route({
    id: 'work.time_entries.start',
    summary: 'Start a timer',
    description: 'Makes a time entry that runs. A member has one running timer at most.',
    permission: permissions.write,
    object: type,
    status: 201,
    body: StartTimer,
    bodyOptional: true,
    answer: TimeEntryView,
    record: true,
    problems: ['timer_running'],
    example: { body: { note: 'Move the data', billable: true }, answer: example },
  })
  @Post('start')
  start(@Body() input: StartTimer) {
    return this.entries.start(input);
  }

  @Route({
    id: 'work.time_entries.stop',
    summary: 'Stop a timer',
    permission: permissions.write,
    object: type,
    body: StopTimer,
    bodyOptional: true,
    answer: TimeEntryView,
    record: true,
    problems: ['not_found', 'timer_not_running', 'limit_reached'],
    example: { body: { minutes: 90 }, answer: example },
  })
  @Post('stop')
  stop(@Body() input: StopTimer) {
    return this.entries.stop(input);
  }
}
