import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { toListRequest } from '#libs/resource/lists/list-query.js';
import { DELIVERY_TYPE } from '#libs/webhooks/delivery-status.js';
import { MAX_ATTEMPTS } from '#libs/webhooks/sending/retry-schedule.js';
import { DeliveryLogService, type LoggedDelivery } from '../deliveries/delivery-log.service.js';
import { DeliveryMovesService } from '../deliveries/delivery-moves.service.js';
import type { ReplayOutboxEntry, SkipOutboxEntry } from './outbox-command.dto.js';
import { DESTINATION_TYPE, type OutboxEntry } from './outbox-entry.dto.js';
import { outboxList, type OutboxPage } from './outbox-list.dto.js';
import { OutboxSummaries } from './outbox-summaries.service.js';

/** The outbox, for administrators of a tenant. */
@Injectable()
export class OutboxService {
  constructor(
    private readonly log: DeliveryLogService,
    private readonly moves: DeliveryMovesService,
    private readonly summaries: OutboxSummaries,
    private readonly database: Database,
  ) {}

  async list(query: Record<string, unknown>): Promise<OutboxPage> {
    const request = toListRequest(outboxList, query);
    const { data, page } = await this.log.page(request, outboxList);
    const payloads = query['include'] ? await this.log.payloads(data) : null;
    const summary = request.cursor === null ? await this.summaries.read() : null;
    return { data: data.map((logged) => present(logged, payloads?.get(logged.row.id) ?? null)), page, summary };
  }

  /** @throws Problem 404, 400 for the destination, 409 `outbox_state_conflict` or `endpoint_deleted`. */
  replay(id: string, input: ReplayOutboxEntry): Promise<OutboxEntry> {
    return this.database.transaction(async () => {
      const replayed = await this.moves.replay(id, input);
      return present(await this.log.one(replayed), null);
    });
  }

  /** @throws Problem 404, 409 `outbox_state_conflict`. */
  skip(id: string, { reason }: SkipOutboxEntry): Promise<OutboxEntry> {
    return this.database.transaction(async () => {
      await this.moves.skip(id, reason);
      return present(await this.log.one(id), null);
    });
  }
}

function present({ row, state, endpointName, lastAttempt }: LoggedDelivery, payload: object | null): OutboxEntry {
  const { status, attemptsUsed, nextAttemptAt, leaseUntil, generation, skipReason, deliveredAt } = state;
  return {
    id: row.id,
    object: DELIVERY_TYPE,
    seq: String(row.sequence),
    eventId: row.eventId,
    eventType: row.eventType,
    subject: { type: row.subjectType, id: row.subjectId },
    destination: { type: DESTINATION_TYPE, id: row.endpointId, name: endpointName },
    status,
    attempts: attemptsUsed,
    maxAttempts: MAX_ATTEMPTS,
    nextAttemptAt,
    leaseUntil,
    lastAttempt,
    generation,
    skipReason,
    createdAt: row.createdAt,
    deliveredAt,
    payload,
  };
}
