import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Problem } from '#libs/kernel/problem.js';
import { wireBytes } from '#libs/outbox/event.js';
import { renderBody } from '#libs/outbox/event-body.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { DELIVERY_ABOUT, disclosing } from '#libs/resource/access/disclosure.js';
import type { ListOptions, ListRequest } from '#libs/resource/lists/list-query.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { ATTEMPTS } from '#libs/webhooks/sending/first-attempt.js';
import { spanOf } from '#libs/webhooks/id-span.js';
import { endpointName } from '../endpoints/endpoint.js';
import { Delivery } from './delivery.entity.js';
import { DeliveriesRepository, type DeliveryState } from './deliveries.repository.js';

/** The last attempt of a delivery. */
export interface LastAttempt {
  at: string;
  httpStatus: number | null;
  latencyMs: number;
  error: string | null;
  responseExcerpt: string | null;
}

/** A delivery as operators see it. */
export interface LoggedDelivery {
  row: Delivery;
  state: DeliveryState;
  /** Host of the endpoint. */
  endpointName: string;
  lastAttempt: LastAttempt | null;
}

const LAST_ATTEMPTS = `
  select r.id, a.* from unnest($2::uuid[], $3::integer[]) as r (id, attempts), lateral (
    select started_at as at, http_status as "httpStatus", duration_ms as "latencyMs", error,
      response_excerpt as "responseExcerpt"
    from ${ATTEMPTS} a
    where tenant_id = $1 and delivery_id = r.id and number <= r.attempts order by number desc limit 1) a`;
const URLS = `select id, url from data.webhook_endpoints where tenant_id = $1 and id = any($2::uuid[])`;
const EVENTS = `select id, type, schema_version as "schemaVersion", envelope from data.events
  where tenant_id = $1 and id = any($2::uuid[]) and id between $3 and $4`;

/** Deliveries of the whole tenant, as its operators see them. */
@Injectable()
export class DeliveryLogService {
  /** The rows of the log. */
  static readonly entity = Delivery;

  constructor(
    private readonly repository: DeliveriesRepository,
    private readonly database: Database,
    private readonly events: EventCatalogue,
    private readonly registry: ResourceRegistry,
  ) {}

  /**
   * One page of deliveries about records that the caller may see; a filter `status` applies to the status that callers
   * see.
   */
  async page(request: ListRequest, options: ListOptions): Promise<Page<LoggedDelivery>> {
    const guard = disclosing(this.registry, DELIVERY_ABOUT);
    const { data, page } = await this.repository.pageByIndex(request, options, guard);
    return { data: await this.complete(data), page };
  }

  /** @throws Problem 404. */
  async one(id: string): Promise<LoggedDelivery> {
    const row = await this.repository.find(id);
    const [logged] = row ? await this.complete([row]) : [];
    if (!logged) throw Problem.notFound();
    return logged;
  }

  /** The events of deliveries, by delivery. */
  async payloads(deliveries: readonly LoggedDelivery[]): Promise<Map<string, object>> {
    if (deliveries.length === 0) return new Map();
    const eventIds = [...new Set(deliveries.map(({ row }) => row.eventId))];
    const rows = await this.database.read<{
      id: string;
      type: string;
      schemaVersion: number;
      envelope: string;
    }>(statement(EVENTS, [currentTenant().id, eventIds, ...spanOf(eventIds)]));
    const byId = new Map(rows.map((event) => [event.id, event]));
    return new Map(
      deliveries.flatMap(({ row }) => {
        const event = byId.get(row.eventId);
        if (!event) return [];
        const { body } = renderBody(
          this.events,
          { ...event, whole: wireBytes(event.envelope, row.sequence) },
          { mode: row.payloadMode, version: row.schemaVersion },
        );
        return [[row.id, JSON.parse(body.toString()) as object]];
      }),
    );
  }

  private async complete(rows: Delivery[]): Promise<LoggedDelivery[]> {
    if (rows.length === 0) return [];
    const { id: tenantId } = currentTenant();
    const states = await this.repository.states(rows.map(({ id }) => id));
    const known = [...states.values()];
    const counts = [known.map(({ id }) => id), known.map(({ attemptCount }) => attemptCount)];
    const last = await this.database.read<LastAttempt & { id: string }>(
      statement(LAST_ATTEMPTS, [tenantId, ...counts]),
    );
    const endpointIds = [...new Set(rows.map(({ endpointId }) => endpointId))];
    const urls = await this.database.read<{ id: string; url: string }>(statement(URLS, [tenantId, endpointIds]));
    const attempts = new Map(last.map(({ id, ...attempt }) => [id, attempt]));
    const names = new Map(urls.map((endpoint) => [endpoint.id, endpointName(endpoint)]));
    return rows.flatMap((row) => {
      const state = states.get(row.id);
      if (!state) return []; // its day was dropped meanwhile
      return [{ row, state, endpointName: names.get(row.endpointId)!, lastAttempt: attempts.get(row.id) ?? null }];
    });
  }
}
