import { Injectable } from '@nestjs/common';
import { Cursors } from '#libs/kernel/cursor.js';
import { Problem } from '#libs/kernel/problem.js';
import { wireBody } from '#libs/outbox/event.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { disclosing, EVENT_ABOUT } from '#libs/resource/access/disclosure.js';
import { PAGE_SIZE } from '#libs/resource/lists/page-query.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { WebhookEventPageInfo, WebhookEventQuery } from './event-feed.dto.js';
import { EventFeedRepository } from './event-feed.repository.js';
import { patternViolations } from './type-patterns.js';

/** The events of the tenant in order, for polling. */
@Injectable()
export class EventFeedService {
  constructor(
    private readonly repository: EventFeedRepository,
    private readonly events: EventCatalogue,
    private readonly registry: ResourceRegistry,
    private readonly cursors: Cursors,
  ) {}

  /**
   * A page of events as JSON text: the stored envelopes, without parsing and serializing them.
   *
   * Nothing is repeated, and only events about records that the caller may not see are omitted, because numbers are
   * assigned in the order in which events become visible. @throws Problem 410 `events_expired` if the next event is no
   * longer retained, 400 for a future position.
   */
  async page({ after, cursor, limit = PAGE_SIZE, eventTypes }: WebhookEventQuery): Promise<string> {
    const violations = patternViolations(this.events, eventTypes ?? [], () => ({ parameter: 'eventTypes' }));
    if (violations.length > 0) throw Problem.validation(violations);
    if (after !== undefined && cursor !== undefined)
      throw Problem.validation([{ parameter: 'cursor', code: 'ambiguous', detail: 'Give either after or cursor.' }]);
    const purpose = JSON.stringify([currentTenant().id, 'events', eventTypes]);
    const place = cursor === undefined ? after : this.cursors.read(cursor, purpose)[0];
    const start = place === undefined ? await this.oldest() : Number(place);
    const guard = disclosing(this.registry, EVENT_ABOUT);
    const { events, last, cut } = await this.repository.next(start, limit, eventTypes ?? null, guard);
    if (last === null) await this.expectEnd(start);
    const shown = events.slice(0, limit);
    const hasMore = events.length > limit || cut;
    const end = events.length > limit ? shown.at(-1)!.sequence : (last ?? start);
    const nextCursor = hasMore ? this.cursors.write([end], purpose) : null;
    const page: WebhookEventPageInfo = { limit, hasMore, nextCursor, nextAfter: String(end) };
    const data = shown.map(({ envelope, sequence }) => wireBody(envelope, sequence));
    return `{"data":[${data.join(',')}],"page":${JSON.stringify(page)}}`;
  }

  /** The position before the oldest retained event. */
  private async oldest(): Promise<number> {
    const { next, last } = await this.repository.ends(0);
    return next === null ? last : next - 1;
  }

  /** If nothing follows a position directly, it must be the end of the sequence: a gap is never skipped silently. */
  private async expectEnd(start: number): Promise<void> {
    const { next, last } = await this.repository.ends(start);
    if (next === start + 1 || start === last) return; // the event has come meanwhile, or is still to come
    if (start > last)
      throw Problem.validation([
        { parameter: 'after', code: 'out_of_range', detail: `The last event has the sequence ${last}.` },
      ]);
    const nextAfter = String(next === null ? last : next - 1);
    throw new Problem(
      'events_expired',
      `Events after ${start} are no longer kept. Go on with after=${nextAfter}, and read what you miss from the records.`,
      { extensions: { nextAfter } },
    );
  }
}
