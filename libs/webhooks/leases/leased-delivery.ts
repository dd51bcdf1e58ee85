import type { OutboundResult } from '#libs/outbound/outbound-result.js';
import type { EndpointSettings } from '../lanes/endpoint-memory.js';

/** A lease on a delivery: `token` changes with each new holder, and only the holder may settle. */
export interface Lease {
  tenantId: string;
  endpointId: string;
  id: string;
  token: string;
  /** Whether an attempt has failed before. */
  retry: boolean;
  /** Whether the endpoint is slow. */
  slow: boolean;
  /** Whether the relay has leased it directly, without a claim. */
  direct: boolean;
}

/** A leased delivery, without its token. */
export type LeasedId = Omit<Lease, 'token'>;

/** A finished delivery, and the resource of its event. */
export type DoneDelivery = LeasedId & Pick<TakenDelivery, 'subjectId'>;

/** Why an attempt is made. */
export type DeliveryCause = 'schedule' | 'manual' | 'replay' | 'recover';

/**
 * What is needed to attempt a delivery, from the time when the lease was taken over, except the endpoint: only its
 * `revision` at that time is known. The same object is used until the delivery is done: thousands wait for their turn,
 * and V8 copies whatever they occupy in the heap again and again.
 */
export interface TakenDelivery extends Lease {
  /** Scheduled attempts in this generation. */
  attempts: number;
  /** Total number of attempts. */
  attemptCount: number;
  /** Above 1 if the delivery was restarted. */
  generation: number;
  cause: DeliveryCause;
  subjectId: string;
  eventId: string;
  eventType: string;
  /** Schema version of the stored envelope. */
  storedVersion: number;
  /** Schema version and form for the endpoint. */
  schemaVersion: number;
  payloadMode: 'full' | 'thin';
  sequence: string;
  /** UTF-8 of the full event, with its sequence. */
  whole: Buffer;
  /** Place of the event in a trace; null if its cause had none. */
  traceparent: string | null;
  revision: number;
  /** Whether the endpoint has had recent failures. */
  troubled: boolean;
  /** Further columns of its row, while it has none; null if it was created with a row. */
  unrecorded: Unrecorded | null;
}

/** A delivery without a row, until its first attempt ends. */
export interface Unrecorded {
  subjectType: string;
  createdAt: string;
}

/** A delivery with its current endpoint. */
export interface LeasedDelivery extends TakenDelivery {
  endpoint: EndpointSettings;
}

/** Whether its endpoint accepts deliveries, or at least this one. */
export function isWanted({ endpoint, cause }: LeasedDelivery): boolean {
  return !endpoint.deleted && (endpoint.enabled || (cause === 'manual' && endpoint.trusted));
}

/** Outcome of an attempt. */
export interface SettledAttempt {
  delivery: LeasedDelivery;
  /** The delivery's new status; null if unchanged after a failed manual attempt. */
  status: 'delivered' | 'retrying' | 'exhausted' | 'held' | null;
  /** Delay before the next attempt, for `retrying`. */
  pauseMs: number | null;
  /** Why it failed; null if it succeeded. */
  error: string | null;
  startedAt: string;
  result: OutboundResult;
  /** Key ids of the secrets used for signatures, the current one first. */
  keyIds: string[];
}
