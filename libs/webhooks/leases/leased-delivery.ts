import type { OutboundResult } from '#libs/outbound/outbound-result.js';
import type { EndpointSettings } from '../lanes/endpoint-memory.js';

/** A lease on a delivery: `token` changes whenever it goes to another holder, and only its holder may settle. */
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

/** Which delivery is leased, and how. */
export type LeasedId = Omit<Lease, 'token'>;

/** A finished delivery, and the resource of its event. */
export type DoneDelivery = LeasedId & Pick<TakenDelivery, 'subjectId'>;

/** Why an attempt is made. */
export type DeliveryCause = 'schedule' | 'manual' | 'replay' | 'recover';

/**
 * What is needed to attempt a delivery, as it was when the lease was taken over, but for its endpoint, which is known to have
 * been in this `revision` then. One object from here to the end of the delivery: thousands wait for their turn, and what is
 * kept of them in V8's heap is copied again and again.
 */
export interface TakenDelivery extends Lease {
  /** Scheduled attempts in this generation. */
  attempts: number;
  /** All attempts ever. */
  attemptCount: number;
  /** Above 1 if it has been resent on request. */
  generation: number;
  cause: DeliveryCause;
  subjectId: string;
  eventId: string;
  eventType: string;
  /** Version in which the envelope is stored. */
  storedVersion: number;
  /** Version and form in which the endpoint gets it. */
  schemaVersion: number;
  payloadMode: 'full' | 'thin';
  sequence: string;
  /** UTF-8 of the event in full, with its sequence. */
  whole: Buffer;
  revision: number;
  /** Whether the endpoint has had recent failures. */
  troubled: boolean;
  /** Further columns of its row, while it has none; null if it was created with a row. */
  unrecorded: Unrecorded | null;
}

/** Of a delivery that has no row until its first attempt ends. */
export interface Unrecorded {
  subjectType: string;
  createdAt: string;
}

/** The same with its endpoint, as it is now. */
export interface LeasedDelivery extends TakenDelivery {
  endpoint: EndpointSettings;
}

/** Whether its endpoint takes deliveries, this one at least. */
export function isWanted({ endpoint, cause }: LeasedDelivery): boolean {
  return !endpoint.deleted && (endpoint.enabled || (cause === 'manual' && endpoint.trusted));
}

/** Outcome of an attempt. */
export interface SettledAttempt {
  delivery: LeasedDelivery;
  /** The delivery's new status; null for unchanged, after a failed manual attempt. */
  status: 'delivered' | 'retrying' | 'exhausted' | 'held' | null;
  /** Until the next attempt, for `retrying`. */
  pauseMs: number | null;
  /** Why it failed; null when it did not. */
  error: string | null;
  startedAt: string;
  result: OutboundResult;
  /** Key ids of the secrets that signed, the current one first. */
  keyIds: string[];
}
