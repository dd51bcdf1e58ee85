import type { OutboundResult } from '#libs/outbound/outbound-result.js';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import type { LaneHealth } from './lane-health.js';

/** Why deliveries disable an endpoint: a 410 response, a response header, or failures for days. */
export type HealthReason = 'endpoint_gone' | 'endpoint_request' | 'failing';

/** A change of an endpoint's health that is reported to its tenant. */
export interface HealthChange {
  /** Stores the health. */
  save: Statement;
  before: LaneHealth;
  after: LaneHealth;
}

/**
 * How deliveries change endpoints. Implemented by the area that owns them, which audits such a change like any other.
 * All methods apply to the current tenant. Lock order: the endpoint before its lane.
 */
export abstract class EndpointHealth {
  /**
   * Disables an endpoint, holds its pending deliveries and sends emails about it. Joins an open transaction. Does
   * nothing if the endpoint is no longer enabled.
   */
  abstract disable(endpointId: string, reason: HealthReason): Promise<void>;

  /** Locks an endpoint in the open transaction; false if it is not enabled. */
  abstract lockEnabled(transaction: Transaction, endpointId: string): Promise<boolean>;

  /**
   * Adds a change of health to the open transaction, with an audit entry, the event `webhook.endpoint.failing` or
   * `.recovered`, and emails; if the endpoint is not enabled, adds only the change. Does not lock the endpoint, because
   * its lane may be locked.
   */
  abstract announce(
    transaction: Transaction,
    endpointId: string,
    event: 'failing' | 'recovered',
    change: HealthChange,
  ): Promise<void>;
}

/** What a receiver's response requests, apart from a retry. */
export interface ReceiverWish {
  /** Reason to disable the endpoint; null to leave it enabled. */
  disable: Extract<HealthReason, 'endpoint_gone' | 'endpoint_request'> | null;
  /** Whether to stop retrying the delivery. */
  abort: boolean;
}

/**
 * Reads 410 and the header `webhook-delivery: disable | abort-message`, in any response. An accepted delivery counts as
 * delivered even if the response disables the endpoint. `Source:` Svix documentation, "Delivery control".
 */
export function receiverWish(result: Pick<OutboundResult, 'httpStatus' | 'responseHeaders'>): ReceiverWish {
  const header = result.responseHeaders['webhook-delivery']?.trim().toLowerCase();
  const asked = header === 'disable' ? 'endpoint_request' : null;
  return { disable: result.httpStatus === 410 ? 'endpoint_gone' : asked, abort: header === 'abort-message' };
}
