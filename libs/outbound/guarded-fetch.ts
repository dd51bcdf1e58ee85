import type { OutboundClient } from './outbound-client.js';
import type { OutboundError, OutboundResult } from './outbound-result.js';

/** A call without a response. */
export class FetchFailure extends Error {
  constructor(
    /** Null for a response that is too large. */
    readonly error: OutboundError | null,
    /** Whether the peer may have got the request. */
    readonly wasSent: boolean,
  ) {
    super(error ?? 'answer_too_large');
    this.name = 'FetchFailure';
  }
}

/** Limits of the calls of one {@link guardedFetch}. */
export interface FetchBounds {
  timeoutMs: number;
  maxAnswerBytes: number;
  /** Aborts the call, in addition to the signal of the call itself. */
  signal: AbortSignal;
}

/** Statuses without a body, for which `Response` accepts no text. */
const BODILESS = new Set([204, 205, 304]);
/** Set by the client; values of a caller would contradict them. */
const LEFT_OUT = new Set(['accept-encoding', 'connection', 'content-length', 'host', 'transfer-encoding']);

/**
 * A `fetch` for client libraries whose calls go through the outbound client: the same guard, no redirects, no proxies,
 * no decompression. Bodies are text. A call without a response throws {@link FetchFailure}.
 */
export function guardedFetch(client: OutboundClient, { timeoutMs, maxAnswerBytes, signal }: FetchBounds): typeof fetch {
  return async (input, init = {}) => {
    const { method = 'GET', body = null } = init;
    if (body !== null && typeof body !== 'string') throw new TypeError('guardedFetch sends text only');
    const headers = Object.fromEntries([...new Headers(init.headers)].filter(([name]) => !LEFT_OUT.has(name)));
    const signals = init.signal ? AbortSignal.any([init.signal, signal]) : signal;
    const url = input instanceof Request ? input.url : String(input);
    const request = { method: method as 'POST', url, headers, body, timeoutMs, signal: signals, idempotent: false };
    return answerOf(await client.requestWhole(request, maxAnswerBytes));
  };
}

function answerOf(result: OutboundResult): Response {
  const { httpStatus, error, bodyExcerpt, bodyTruncated, responseHeaders, remoteAddress } = result;
  // Without a connection or a TLS session, nothing was sent.
  if (error !== null || httpStatus === null)
    throw new FetchFailure(error ?? 'protocol_error', remoteAddress !== null && error !== 'tls_error');
  if (bodyTruncated) throw new FetchFailure(null, true);
  const { 'content-length': _length, ...headers } = responseHeaders;
  return new Response(BODILESS.has(httpStatus) ? null : bodyExcerpt, { status: httpStatus, headers });
}
