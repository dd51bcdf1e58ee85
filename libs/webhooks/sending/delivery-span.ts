import { isTracing, type Span, startSpan } from '#libs/telemetry/tracing.js';
import type { TakenDelivery } from '../leases/leased-delivery.js';
import { traceOfEvent } from './delivery-request.js';

/** Starts the span of an attempt at a delivery, in the trace of its event; null if this process records none. */
export function deliverySpan({
  id,
  tenantId,
  eventId,
  eventType,
  traceparent,
  attemptCount,
}: TakenDelivery): Span | null {
  if (!isTracing()) return null;
  return startSpan(`deliver ${eventType}`, {
    kind: 'consumer',
    parent: traceOfEvent(eventId, traceparent),
    attributes: {
      'messaging.operation.type': 'process',
      'messaging.message.id': eventId,
      'platform.tenant.id': tenantId,
      'platform.delivery.id': id,
      'platform.delivery.attempt': attemptCount + 1,
    },
  });
}
