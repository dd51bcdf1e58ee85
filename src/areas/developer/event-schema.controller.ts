import { Controller, Get, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { EventCatalogue, statusOf } from '#libs/outbox/event-catalogue.js';
import { eventExample, eventSchema } from '#libs/outbox/event-schema.js';
import { EventSchemaList, EventSchemaQuery } from './event-schema.dto.js';

@Controller('api/v1/developer/event-schema')
export class EventSchemaController {
  constructor(private readonly events: EventCatalogue) {}

  @Route({
    id: 'developer.event_schema.list',
    summary: 'List the schemas of all webhook events',
    permission: 'any',
    query: EventSchemaQuery,
    answer: EventSchemaList,
    tag: 'developer',
  })
  @Get()
  list(@Query() query: EventSchemaQuery): EventSchemaList {
    const data = this.events
      .all()
      .filter(({ type, version }) => (query.type ?? type) === type && (query.version ?? version) === version)
      .map((event) => ({
        type: event.type,
        version: event.version,
        description: event.description,
        deprecated: statusOf(event) === 'deprecated',
        status: statusOf(event),
        deprecatedAt: event.deprecatedAt ?? null,
        sunsetAt: event.sunsetAt ?? null,
        schema: { $schema: 'https://json-schema.org/draft/2020-12/schema', ...eventSchema(event) },
        example: eventExample(event),
      }));
    return { data };
  }
}
