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
    summary: 'List the outbox',
    description: 'One entry per event and destination, with figures of the whole outbox on the first page.',
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
    summary: 'Test a destination, or change many entries',
    description: 'Entries in flight are not changed.',
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
    summary: 'Replay an entry',
    description:
      'Restarts a delivered, retrying, exhausted or skipped entry with all attempts. Event id and body stay the same; the signature uses the current secrets. The entry is held while the destination is paused or disabled.',
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
    summary: 'Skip an entry',
    description: 'Abandons a pending, retrying, exhausted or held entry. Entries in flight cannot be skipped.',
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
