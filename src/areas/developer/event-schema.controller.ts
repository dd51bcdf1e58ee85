import { Controller, Get, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { contentTag } from '#libs/http/answer-headers.js';
import { Route } from '#libs/http/route.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { pageOfAll } from '#libs/resource/lists/page-of-all.js';
import { EventCatalogue, type EventType, statusOf } from '#libs/outbox/event-catalogue.js';
import { eventExample, eventSchema } from '#libs/outbox/event-schema.js';
import { type EventSchema, EventSchemaList, EventSchemaQuery } from './event-schema.dto.js';

@Controller('api/v1/developer/event-schema')
export class EventSchemaController {
  constructor(
    private readonly events: EventCatalogue,
    private readonly cursors: Cursors,
  ) {}

  @Route({
    id: 'developer.event_schema.list',
    summary: 'List the schemas of all webhook events',
    description: 'The ETag changes when any returned schema changes.',
    permission: 'any',
    forPartners: true,
    query: EventSchemaQuery,
    answer: EventSchemaList,
    record: true,
    problems: ['cursor_invalid'],
    tag: 'developer',
  })
  @Get()
  list(@Query() query: EventSchemaQuery, @Res({ passthrough: true }) reply: FastifyReply): EventSchemaList {
    const found = this.events
      .all()
      .filter(({ type, version }) => (query.type ?? type) === type && (query.version ?? version) === version)
      .map((event) => ({ id: `${event.type} ${event.version}`, event }));
    const purpose = ['event_schema', query.type, query.version, query.brief];
    const { data, page } = pageOfAll(found, query, this.cursors, purpose);
    const entries = data.map(({ event }) => (query.brief ? summaryOf(event) : entryOf(event)));
    void reply.header('etag', contentTag(entries));
    return { data: entries, page };
  }
}

function entryOf(event: EventType): EventSchema {
  return {
    ...summaryOf(event),
    schema: { $schema: 'https://json-schema.org/draft/2020-12/schema', ...eventSchema(event) },
    example: eventExample(event),
  };
}

function summaryOf(event: EventType): EventSchema {
  return {
    type: event.type,
    group: event.type.split('.')[0]!,
    version: event.version,
    description: event.description,
    deprecated: statusOf(event) === 'deprecated',
    status: statusOf(event),
    deprecatedAt: event.deprecatedAt ?? null,
    sunsetAt: event.sunsetAt ?? null,
  };
}
