import { errors } from 'undici';

/**
 * Why an exchange failed. Stable, stored with attempts.
 *
 * - `invalid_request` the request cannot be sent (method, header, URL)
 * - `blocked_url` the URL's form is rejected (scheme, port, name, IP literal, user name)
 * - `blocked_address` the host has an address that may not be reached
 * - `dns_failure` the host does not exist, or DNS did not respond
 * - `connect_refused`, `connect_timeout`, `connect_failed` no TCP connection (the last: no route and similar)
 * - `tls_error` no TLS session, or a certificate that is not valid for the host
 * - `timeout` the whole exchange took longer than `timeoutMs`
 * - `connection_reset` the connection ended before the response was complete
 * - `protocol_error` the response is not HTTP/1.1, or its head is too large
 * - `aborted` aborted by the caller's signal or the shutdown
 */
export type OutboundError =
  | 'invalid_request'
  | 'blocked_url'
  | 'blocked_address'
  | 'dns_failure'
  | 'connect_refused'
  | 'connect_timeout'
  | 'connect_failed'
  | 'tls_error'
  | 'timeout'
  | 'connection_reset'
  | 'protocol_error'
  | 'aborted';

/**
 * Durations of an exchange and its steps, whole ms, by a monotonic clock.
 *
 * A step that did not happen or did not succeed is null: `connectMs` and `tlsMs` on a kept connection, and all steps
 * after a failure. Only `dnsMs` is also set if DNS had no result.
 */
export interface OutboundTimings {
  /** The wait for DNS; null for an IP literal, `localhost`, and a host whose result was cached. */
  dnsMs: number | null;
  /** Establishing the TCP connection. */
  connectMs: number | null;
  /** Establishing the TLS session; null with `http:`. */
  tlsMs: number | null;
  /** From the start of the exchange to the end of the response head. */
  firstByteMs: number | null;
  /** From the start of the exchange to the result. */
  totalMs: number;
}

/** Result of an outbound call. */
export interface OutboundResult {
  /** A complete 2xx response, or one read up to the limit of its body. */
  ok: boolean;
  /** Status of the response, even if an `error` occurred after its head; null without a response. */
  httpStatus: number | null;
  error: OutboundError | null;
  /**
   * Code of the cause of `error`, at most 64 of A-Z, 0-9 and `_`, never an address: from the system or the TLS library
   * (`ECONNREFUSED`, `CERT_HAS_EXPIRED`), or `HOST_NOT_FOUND` and `DNS_UNAVAILABLE`.
   */
  errorDetail: string | null;
  timings: OutboundTimings;
  /**
   * The headers of {@link KEPT_RESPONSE_HEADERS} in the response: names in lower case, values cut to
   * {@link MAX_HEADER_CHARS}; the first value of a repeated header.
   */
  responseHeaders: Record<string, string>;
  /**
   * Beginning of the body as text that PostgreSQL can store: at most {@link MAX_EXCERPT_BYTES} of UTF-8, in which
   * U+FFFD replaces NUL and invalid UTF-8. Empty without a response.
   */
  bodyExcerpt: string;
  /** Whether the body is longer than `bodyExcerpt`, or incomplete. */
  bodyTruncated: boolean;
  /**
   * The address of the connection, in canonical form: always a vetted one, never a rejected one. Also set if TLS or the
   * response failed; null without a connection.
   */
  remoteAddress: string | null;
}

/** Response headers that are stored in a result, in lower case. None of them contains credentials. */
export const KEPT_RESPONSE_HEADERS = [
  'content-length',
  'content-type',
  'date',
  'location',
  'retry-after',
  'server',
  'webhook-delivery',
  'x-request-id',
] as const;

/** Maximum length of a stored response header, in characters. */
export const MAX_HEADER_CHARS = 256;

/** Maximum number of bytes read from a response body before the connection is closed. */
export const MAX_BODY_BYTES = 64 * 1024;

/** Maximum number of stored bytes of a response body, and of the text created from them. */
export const MAX_EXCERPT_BYTES = 16 * 1024;

/** A failure with its error code. */
export class OutboundFailure extends Error {
  constructor(
    readonly error: OutboundError,
    readonly detail: string | null = null,
  ) {
    super(error);
    this.name = 'OutboundFailure';
  }
}

const CONNECT_ERRORS: Record<string, OutboundError> = {
  ECONNREFUSED: 'connect_refused',
  ECONNRESET: 'connection_reset',
  ETIMEDOUT: 'connect_timeout',
};

/** The failure for an error while the connection was being established. */
export function connectFailure(error: unknown, tlsStarted: boolean): OutboundFailure {
  if (error instanceof OutboundFailure) return error;
  const code = codeOf(error);
  return new OutboundFailure(tlsStarted ? 'tls_error' : (CONNECT_ERRORS[code ?? ''] ?? 'connect_failed'), code);
}

const BAD_ANSWERS = new Set(['bad response', 'bad upgrade']);

/** The failure for an error that undici reports for a request. */
export function exchangeFailure(error: unknown): OutboundFailure {
  if (error instanceof OutboundFailure) return error;
  const code = codeOf(error);
  return new OutboundFailure(errorOf(code, error), code);
}

function errorOf(code: string | null, error: unknown): OutboundError {
  if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED') return 'invalid_request';
  if (code === 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH') return 'invalid_request';
  // The connection ended in the middle of a response.
  if (error instanceof errors.HTTPParserError)
    return error.message.includes('Invalid EOF state') ? 'connection_reset' : 'protocol_error';
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'protocol_error';
  if (error instanceof errors.SocketError && BAD_ANSWERS.has(error.message)) return 'protocol_error';
  return 'connection_reset';
}

/** Only codes are exposed, because system messages contain addresses. */
function codeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' && /^[A-Z0-9_]{1,64}$/.test(error.code) ? error.code : null;
}
