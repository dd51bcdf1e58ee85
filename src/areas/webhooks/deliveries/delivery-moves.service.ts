import { Injectable } from '@nestjs/common';
import { auditStatement, type RiskLevel } from '#libs/audit/audit-entry.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { Problem } from '#libs/kernel/problem.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import { deliveryId } from '#libs/webhooks/delivery-id.js';
import {
  beginAgain,
  lockDelivery,
  type LockedDelivery,
  type LockedEndpoint,
  lockEndpoints,
  resendStatement,
  skipStatements,
} from '#libs/webhooks/delivery-moves.js';
import { deliverStatement, type NumberedEvent, SUBSCRIPTION, type Subscription } from '#libs/webhooks/relay/fan-out.js';
import { moveOn } from '#libs/webhooks/leases/ordering.js';
import { checkAction, stateConflict } from './delivery-actions.js';
import type { WebhookDeliveryWithAnswers } from './delivery.dto.js';
import type { Delivery } from './delivery.entity.js';
import { DELIVERY_TYPE } from '#libs/webhooks/delivery-status.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { DeliveriesService } from './deliveries.service.js';

const EVENT = `select id, type, schema_version as "schemaVersion", subject_type as "subjectType",
    subject_id as "subjectId" from data.events where tenant_id = $1 and id = $2`;
const SUBSCRIBER = `select ${SUBSCRIPTION} from data.webhook_endpoints where tenant_id = $1 and id = $2`;

/** Replays, resends and skips single deliveries. Database locks serialize this with the workers. */
@Injectable()
export class DeliveryMovesService {
  constructor(
    private readonly repository: DeliveriesRepository,
    private readonly deliveries: DeliveriesService,
    private readonly database: Database,
    private readonly events: EventCatalogue,
    private readonly clock: Clock,
  ) {}

  /**
   * Attempts a delivery once, now, in any final state and even while its endpoint is paused or disabled. It does not
   * count as a scheduled attempt; if it fails, the schedule continues.
   * @throws Problem 404, 409 `outbox_state_conflict` while it is in flight, 409 `endpoint_deleted`, 409 `blocked` while
   *   the endpoint is unverified.
   */
  async resend(id: string): Promise<WebhookDeliveryWithAnswers> {
    return this.database.transaction(async (transaction) => {
      const { delivery, endpoint } = await this.lock(transaction, await this.find(id));
      refuseDeleted(endpoint);
      if (endpoint.unverified) throw new Problem('blocked', 'The endpoint has to be verified first.');
      if (delivery.inFlight) throw stateConflict('resend', delivery);
      transaction.write(resendStatement(currentTenant().id, id));
      this.audit(transaction, `${DELIVERY_TYPE}.resent`, delivery, null, 'low');
      return this.deliveries.get(id);
    });
  }

  /**
   * Restarts a delivery with all attempts; held while its endpoint is not enabled. With a destination, sends the event
   * to that endpoint instead, even for the first time. Returns the id of the started delivery.
   * @throws Problem 404, 400 for the destination, 409 `outbox_state_conflict` or `endpoint_deleted`.
   */
  async replay(id: string, { reason = null, destinationId }: { reason?: string | null; destinationId?: string }) {
    return this.database.transaction(async (transaction) => {
      const row = await this.find(id);
      const other = destinationId !== undefined && destinationId !== row.endpointId;
      const target = other ? await this.repository.find(deliveryId(row.eventId, destinationId)) : row;
      if (!target) return this.sendFirst(transaction, row, destinationId!, reason);
      const { delivery, endpoint } = await this.lock(transaction, target);
      refuseDeleted(endpoint);
      checkAction('replay', delivery);
      const { id: tenantId } = currentTenant();
      for (const each of beginAgain(tenantId, [{ id: target.id, enabled: endpoint.enabled }], 'replay'))
        transaction.write(each);
      this.letNextGo(transaction, delivery, endpoint);
      this.audit(transaction, 'outbox.replayed', delivery, reason, 'medium');
      return target.id;
    });
  }

  /** Skips a delivery. @throws Problem 404, 409 `outbox_state_conflict`. */
  async skip(id: string, reason: string): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const { delivery, endpoint } = await this.lock(transaction, await this.find(id));
      checkAction('skip', delivery);
      for (const each of skipStatements(currentTenant().id, [id], reason)) transaction.write(each);
      this.letNextGo(transaction, delivery, endpoint);
      this.audit(transaction, 'outbox.skipped', delivery, reason, 'medium');
    });
  }

  private async find(id: string): Promise<Delivery> {
    const row = await this.repository.find(id);
    if (!row) throw Problem.notFound();
    return row;
  }

  private async lock(
    transaction: Transaction,
    { id, endpointId }: Delivery,
  ): Promise<{ delivery: LockedDelivery; endpoint: LockedEndpoint }> {
    const { id: tenantId } = currentTenant();
    const endpoints = await lockEndpoints(transaction, tenantId, [endpointId]);
    const delivery = await lockDelivery(transaction, tenantId, id);
    if (!delivery) throw Problem.notFound(); // its day was dropped meanwhile
    return { delivery, endpoint: endpoints.get(endpointId)! };
  }

  /** Creates a delivery of an event to another endpoint. */
  private async sendFirst(transaction: Transaction, row: Delivery, endpointId: string, reason: string | null) {
    const { id: tenantId } = currentTenant();
    const locked = (await lockEndpoints(transaction, tenantId, [endpointId])).get(endpointId);
    if (!locked || locked.deleted) throw unknownDestination();
    const [endpoint] = await transaction.query<Subscription>(statement(SUBSCRIBER, [tenantId, endpointId]));
    const [found] = await transaction.query<Omit<NumberedEvent, 'sequence'>>(statement(EVENT, [tenantId, row.eventId]));
    if (!found) throw Problem.notFound(); // its day was dropped meanwhile
    const event = { ...found, sequence: row.sequence };
    transaction.write(deliverStatement(this.events, [{ tenantId, event, endpoint: endpoint! }], 'recover'));
    const id = deliveryId(event.id, endpointId);
    this.audit(transaction, 'outbox.replayed', { id }, reason, 'medium');
    return id;
  }

  /** In an ordered lane, the next delivery of the same resource may now be sent. */
  private letNextGo(
    transaction: Transaction,
    { endpointId, subjectId }: LockedDelivery,
    endpoint: LockedEndpoint,
  ): void {
    if (endpoint.ordered) transaction.write(moveOn([{ tenantId: currentTenant().id, endpointId, subjectId }]));
  }

  private audit(
    transaction: Transaction,
    action: string,
    { id }: { id: string },
    reason: string | null,
    riskLevel: RiskLevel,
  ): void {
    const target = { type: DELIVERY_TYPE, id, name: null };
    const fact = { action, target, outcome: 'success', riskLevel, reason } as const;
    transaction.write(auditStatement(currentScope(), fact, this.clock.now().toISOString()));
  }
}

function refuseDeleted({ deleted }: LockedEndpoint): void {
  if (deleted) throw new Problem('endpoint_deleted', 'The endpoint of the delivery is deleted.');
}

function unknownDestination(): Problem {
  return Problem.validation([
    { pointer: '/destinationId', code: 'unknown_reference', detail: 'There is no such webhook endpoint.' },
  ]);
}
