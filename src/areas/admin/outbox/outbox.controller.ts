import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { OutboxCommand, OutboxCommandResult, ReplayOutboxEntry, SkipOutboxEntry } from './outbox-command.dto.js';
import { OutboxCommandsService } from './outbox-commands.service.js';
import { OutboxEntry } from './outbox-entry.dto.js';
import { OutboxPage, OutboxQuery } from './outbox-list.dto.js';
import { OutboxService } from './outbox.service.js';

@Controller('api/admin/outbox')
export class OutboxController {
  constructor(
    private readonly outbox: OutboxService,
    private readonly commands: OutboxCommandsService,
  ) {}

  @Route({
    id: 'admin.outbox.list',
    summary: 'List what the platform sends',
    description: 'One entry for each event and destination, and figures of the whole outbox on the first page.',
    permission: 'outbox:read',
    query: OutboxQuery,
    answer: OutboxPage,
    problems: ['cursor_invalid'],
  })
  @Get()
  list(@Query() query: Record<string, unknown>) {
    return this.outbox.list(query);
  }

  @Route({
    id: 'admin.outbox.command',
    summary: 'Test a destination, or move many entries',
    description: 'Entries that are in flight are left to their worker.',
    permission: 'outbox:manage',
    body: OutboxCommand,
    answer: OutboxCommandResult,
    example: { body: { action: 'replay', filter: { status: ['exhausted'] }, from: '2026-11-20T08:00:00.000Z' } },
  })
  @Post()
  command(@Body() input: OutboxCommand) {
    return this.commands.run(input);
  }

  @Route({
    id: 'admin.outbox.replay',
    summary: 'Send an entry again',
    description:
      'Begins a delivered, retrying, exhausted or skipped entry again, with all attempts; the same event id and body, signed with the secrets of today. Held while the destination takes nothing.',
    permission: 'outbox:manage',
    body: ReplayOutboxEntry,
    bodyOptional: true,
    answer: OutboxEntry,
    problems: ['not_found', 'outbox_state_conflict', 'endpoint_deleted'],
  })
  @Post(':id/replay')
  replay(@Param('id') id: string, @Body() input: ReplayOutboxEntry) {
    return this.outbox.replay(id, input);
  }

  @Route({
    id: 'admin.outbox.skip',
    summary: 'Give an entry up',
    description: 'A pending, retrying, exhausted or held entry; one that is being sent is not.',
    permission: 'outbox:manage',
    body: SkipOutboxEntry,
    answer: OutboxEntry,
    problems: ['not_found', 'outbox_state_conflict'],
  })
  @Post(':id/skip')
  skip(@Param('id') id: string, @Body() input: SkipOutboxEntry) {
    return this.outbox.skip(id, input);
  }
}
