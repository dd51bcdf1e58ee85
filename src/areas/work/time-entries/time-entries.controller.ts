import { Body, Controller, Post } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { pathOf } from '#libs/resource/types/definition.js';
import { ResourceController } from '#libs/resource/routes/resource.controller.js';
import { timeEntries } from './time-entry.js';
import { StartTimer, StopTimer } from './time-entry.actions.js';
import { TimeEntriesService } from './time-entries.service.js';

const { type, permissions, view, example } = timeEntries;

@Controller(pathOf(timeEntries))
export class TimeEntriesController extends ResourceController(timeEntries) {
  constructor(private readonly entries: TimeEntriesService) {
    super(entries.records);
  }

  @Route({
    id: 'work.time_entries.start',
    summary: 'Start a timer',
    description: 'Creates a time entry whose timer runs. A member has at most one running timer.',
    permission: permissions.write,
    object: type,
    status: 201,
    body: StartTimer,
    bodyOptional: true,
    answer: view,
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
    answer: view,
    record: true,
    problems: ['not_found', 'timer_not_running'],
    example: { body: { minutes: 90 }, answer: example },
  })
  @Post('stop')
  stop(@Body() input: StopTimer) {
    return this.entries.stop(input);
  }
}
