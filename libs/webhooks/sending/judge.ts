import type { OutboundResult } from '#libs/outbound/outbound-result.js';
import { attemptError } from './delivery-request.js';
import { type ReceiverWish, receiverWish } from '../lanes/endpoint-health.js';
import { pauseAfter, readRetryAfter } from './retry-schedule.js';
import type { LeasedDelivery, SettledAttempt } from '../leases/leased-delivery.js';

/** What happens to a delivery, and to its endpoint, after an attempt. */
export interface Verdict extends Pick<SettledAttempt, 'status' | 'pauseMs' | 'error'> {
  /** Delay that the receiver requested; null if it did not. */
  retryAfterMs: number | null;
  /** Why the endpoint must be disabled; null if it stays enabled. */
  disable: ReceiverWish['disable'];
}

/**
 * Decides after an attempt: delivered, retry after a delay, or no retry; held if the endpoint is disabled.
 *
 * A manual attempt is outside the schedule: if it fails, the delivery's status does not change.
 * @param random from 0 to below 1, for the jitter
 */
export function judge(
  { attempts, cause }: Pick<LeasedDelivery, 'attempts' | 'cause'>,
  result: OutboundResult,
  nowMs: number,
  random: number,
): Verdict {
  const error = attemptError(result);
  const retryAfterMs = readRetryAfter(result.responseHeaders['retry-after'], nowMs);
  const { disable, abort } = receiverWish(result);
  const verdict = (status: Verdict['status'], pauseMs: number | null = null) => ({
    status,
    pauseMs,
    error,
    retryAfterMs,
    disable,
  });
  if (error === null) return verdict('delivered');
  if (cause === 'manual') return verdict(null);
  if (disable) return verdict('held');
  const pauseMs = abort ? null : pauseAfter(attempts + 1, retryAfterMs, random);
  return verdict(pauseMs === null ? 'exhausted' : 'retrying', pauseMs);
}
