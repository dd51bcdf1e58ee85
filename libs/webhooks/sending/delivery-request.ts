import type { OutboundRequest } from '#libs/outbound/outbound-client.js';
import type { OutboundResult } from '#libs/outbound/outbound-result.js';
import { partsOf, traceparentOf } from '#libs/telemetry/traceparent.js';
import { signDelivery } from './signature.js';

/** One attempt to send one event to one endpoint. */
export interface AttemptInput {
  url: string;
  timeoutMs: number;
  event: { id: string; type: string; schemaVersion: number; traceparent: string | null };
  /** The same bytes in every attempt. */
  body: Buffer;
  deliveryId: string;
  /** From 1. */
  attempt: number;
  /** Whether a user requested that it is sent again. */
  replay: boolean;
  /**
   * Headers that the endpoint's owner has added to each request, by name. The platform's own headers take precedence.
   */
  customHeaders: Record<string, string>;
  /** Time of the attempt, ms since the Unix epoch. */
  nowMs: number;
  secret: string;
  /** Null after its grace period. */
  previousSecret: string | null;
}

const USER_AGENT = 'tenant-operating-platform-webhooks/1.0';

/** The request of an attempt, signed with the current secrets. */
export function deliveryRequest(input: AttemptInput): OutboundRequest {
  const { url, timeoutMs, event, body, deliveryId, attempt, replay, customHeaders, nowMs, secret, previousSecret } =
    input;
  const timestampSeconds = Math.floor(nowMs / 1_000);
  const own: Record<string, string> = {
    ...signDelivery({ body, eventId: event.id, timestampSeconds, secret, previousSecret }),
    'content-type': 'application/json; charset=utf-8',
    'user-agent': USER_AGENT,
    'x-service-event': event.type,
    'x-service-event-version': String(event.schemaVersion),
    'x-service-delivery': deliveryId,
    'x-service-attempt': String(attempt),
    traceparent: traceOfAttempt(event, deliveryId, attempt),
  };
  if (replay) own['x-service-replay'] = 'true';
  return {
    method: 'POST',
    url,
    headers: Object.keys(customHeaders).length > 0 ? { ...customHeaders, ...own } : own,
    body,
    timeoutMs,
    // Receivers deduplicate by webhook-id, so the request can be repeated after a broken keep-alive connection.
    idempotent: true,
  };
}

/** Place of an event in a trace: that of its cause, or one of its own. */
export function traceOfEvent(eventId: string, traceparent: string | null): string {
  if (traceparent !== null) return traceparent;
  const digits = eventId.replaceAll('-', '');
  return traceparentOf(digits, digits.slice(16), 1);
}

/** A span for each attempt at a delivery, whether or not this process records it. */
function traceOfAttempt({ id, traceparent }: AttemptInput['event'], deliveryId: string, attempt: number): string {
  const { traceId, flags } = partsOf(traceOfEvent(id, traceparent));
  return traceparentOf(traceId, `${deliveryId.slice(-12)}${attempt.toString(16).padStart(4, '0')}`, flags);
}

/** Why an attempt failed, as stored and shown; null if the endpoint accepted the delivery. */
export function attemptError({ ok, error, httpStatus }: OutboundResult): string | null {
  if (ok) return null;
  if (error !== null) return error;
  if (httpStatus === 410) return 'endpoint_gone';
  return httpStatus !== null && httpStatus >= 300 && httpStatus < 400 ? 'redirect' : 'http_status';
}
