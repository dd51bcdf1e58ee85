import type { OutboundClient } from '#libs/outbound/outbound-client.js';
import { FetchFailure, guardedFetch } from '#libs/outbound/guarded-fetch.js';
import type { ModelCall } from './provider.js';

/** How a provider is reached. */
export interface ProviderConnection {
  baseUrl: string;
  /** Sent with every call and never shown; null if the provider needs none. */
  key: string | null;
  /** Whether the provider executes requests with the same idempotency key only once. */
  isIdempotent: boolean;
  /** Whether a model accepts a JSON Schema for its response. The prompt describes the schema in any case. */
  takesSchema: (model: string) => boolean;
  client: OutboundClient;
}

const IDEMPOTENCY_HEADER = 'Idempotency-Key';
/** Far longer than the longest response of any model. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;
/** How much longer the library's own timer waits, to ensure that ours fires first. */
const LIBRARY_GRACE_MS = 5_000;
/** The bounds of the outbound client. */
const MIN_TIMEOUT_MS = 1_000;
const MAX_TIMEOUT_MS = 600_000;

/**
 * The options of a client library for one call: our `fetch`, one attempt, no logs, nothing from the environment.
 * `failure` is why the call got no response, which each library reports in a different way; null if it got one, or was
 * not made.
 */
export function callOptions({ baseUrl, key, client }: ProviderConnection, call: ModelCall, signal: AbortSignal) {
  const timeoutMs = Math.min(Math.max(call.timeoutMs, MIN_TIMEOUT_MS), MAX_TIMEOUT_MS);
  const send = guardedFetch(client, { timeoutMs, maxAnswerBytes: MAX_ANSWER_BYTES, signal });
  let failure: FetchFailure | null = null;
  const noted: typeof fetch = async (...request) => {
    try {
      return await send(...request);
    } catch (error) {
      if (error instanceof FetchFailure) failure = error;
      throw error;
    }
  };
  const options = {
    baseURL: baseUrl,
    // The libraries require a key; without one no credential is sent.
    apiKey: key ?? 'none',
    defaultHeaders: key === null ? { authorization: null } : {},
    maxRetries: 0,
    timeout: timeoutMs + LIBRARY_GRACE_MS,
    logLevel: 'off',
    fetch: noted,
  } as const;
  return { options, failure: () => failure };
}

/** Headers of one call. */
export function callHeaders(
  { isIdempotent }: ProviderConnection,
  { idempotencyKey }: ModelCall,
): Record<string, string> {
  return isIdempotent ? { [IDEMPOTENCY_HEADER]: idempotencyKey } : {};
}
