import { Injectable } from '@nestjs/common';
import { guarded } from '#libs/access/guard.js';
import { Database } from '#libs/database/database.js';
import { Problem } from '#libs/kernel/problem.js';
import { EventCatalogue, type EventData } from '#libs/outbox/event-catalogue.js';
import { disclosing, EVENT_ABOUT } from '#libs/resource/access/disclosure.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { explainFilter } from '#libs/webhooks/relay/payload-filter.js';
import { EndpointRecords } from '../endpoints/endpoint-records.js';
import type { Endpoint } from '../endpoints/endpoint.js';
import type { TestWebhookFilter, WebhookFilterTestResult } from './filter-test.dto.js';

const EVENT = `select type, schema_version as "schemaVersion", envelope from data.events e
  where tenant_id = $1 and id = $2`;
const SOURCES = ['eventId', 'event', 'eventType'] as const;

interface EventRow {
  type: string;
  schemaVersion: number;
  envelope: string;
}

/** Shows how a filter evaluates an event. */
@Injectable()
export class FilterTestsService {
  constructor(
    private readonly records: EndpointRecords,
    private readonly events: EventCatalogue,
    private readonly database: Database,
    private readonly registry: ResourceRegistry,
  ) {}

  /**
   * Evaluates a filter, or that of the endpoint, on one event. Changes nothing. @throws Problem 404, 400 unless there
   * is exactly one event.
   */
  async run(id: string, input: TestWebhookFilter): Promise<WebhookFilterTestResult> {
    const endpoint = await this.records.find(id);
    const filter = input.filter ?? endpoint.filter;
    const data = await this.dataOf(endpoint, input);
    return filter ? explainFilter(filter, data) : { matches: true, conditions: [] };
  }

  /** The data of the given event, as the endpoint would get it. */
  private async dataOf(endpoint: Endpoint, input: TestWebhookFilter): Promise<object> {
    const [source, ...more] = SOURCES.filter((each) => input[each] !== undefined);
    if (source === undefined || more.length > 0)
      throw Problem.validation([
        {
          pointer: `/${more[0] ?? 'eventId'}`,
          code: source ? 'ambiguous' : 'required',
          detail: `Name one event, by ${SOURCES.join(', ')}.`,
        },
      ]);
    if (input.event) return input.event.data;
    if (input.eventId !== undefined) return this.stored(endpoint, input.eventId);
    return this.example(endpoint, input.eventType!);
  }

  private example({ schemaVersions }: Endpoint, eventType: string): object {
    if (this.events.has(eventType)) {
      const { version, example } = this.events.newest(eventType);
      return this.events.render(eventType, version, schemaVersions[eventType] ?? 1, example);
    }
    throw Problem.validation([
      { pointer: '/eventType', code: 'unknown_event_type', detail: 'There is no such event type.' },
    ]);
  }

  private async stored({ schemaVersions }: Endpoint, eventId: string): Promise<object> {
    const guard = disclosing(this.registry, EVENT_ABOUT);
    const [row] = await this.database.read<EventRow>(guarded(EVENT, [currentTenant().id, eventId], guard));
    if (!row)
      throw Problem.validation([{ pointer: '/eventId', code: 'unknown_reference', detail: 'There is no such event.' }]);
    const { data } = JSON.parse(row.envelope) as { data: EventData };
    return this.events.render(row.type, row.schemaVersion, schemaVersions[row.type] ?? 1, data);
  }
}
