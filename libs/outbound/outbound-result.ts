import { errors } from 'undici';

/**
 * Why an exchange failed. Stable, stored with attempts.
 *
 * - `invalid_request` the request cannot be put on the wire (method, header, URL)
 * - `blocked_url` the URL's form is refused (scheme, port, name, IP literal, user name)
 * - `blocked_address` the host has an address that may not be reached
 * - `dns_failure` no such host, or DNS did not answer
 * - `connect_refused`, `connect_timeout`, `connect_failed` no TCP connection (the last: no route and the like)
 * - `tls_error` no TLS session, or a certificate that is not valid for the host
 * - `timeout` the whole exchange took longer than `timeoutMs`
 * - `connection_reset` the connection ended before the answer did
 * - `protocol_error` the answer is not HTTP/1.1, or its head is too large
 * - `aborted` the caller's signal, or the shutdown, ended it
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
 * How long an exchange and its steps took, whole ms, by a clock that only goes forward.
 *
 * A step that did not happen is null (on a kept connection `connectMs` and `tlsMs`, after an earlier failure all that
 * would have followed), and so is one that did not succeed; only `dnsMs` is also told when DNS had no answer.
 */
export interface OutboundTimings {
  /** The wait for DNS; null for an IP literal, `localhost`, and a host whose answer was still remembered. */
  dnsMs: number | null;
  /** The TCP connection. */
  connectMs: number | null;
  /** The TLS session on it; null with `http:`. */
  tlsMs: number | null;
  /** From the start of the exchange to the end of the answer's head. */
  firstByteMs: number | null;
  /** From the start of the exchange to the result. */
  totalMs: number;
}

/** Result of an outbound call. */
export interface OutboundResult {
  /** A complete 2xx response, or one read up to the limit of its body. */
  ok: boolean;
  /** Status of the answer, also when an `error` came after its head; null without an answer. */
  httpStatus: number | null;
  error: OutboundError | null;
  /**
   * Code behind `error`, at most 64 of A-Z, 0-9 and `_`, never an address: of the system or the TLS library
   * (`ECONNREFUSED`, `CERT_HAS_EXPIRED`), or `HOST_NOT_FOUND` and `DNS_UNAVAILABLE`.
   */
  errorDetail: string | null;
  timings: OutboundTimings;
  /**
   * Those of {@link KEPT_RESPONSE_HEADERS} that the answer has: names in lower case, values cut to
   * {@link MAX_HEADER_CHARS}, of a repeated header the first.
   */
  responseHeaders: Record<string, string>;
  /**
   * Beginning of the body as text that PostgreSQL can store: at most {@link MAX_EXCERPT_BYTES} of UTF-8, in which
   * U+FFFD stands for NUL and for what is not UTF-8. Empty without an answer.
   */
  bodyExcerpt: string;
  /** Whether the body has more than `bodyExcerpt`, or did not come to its end. */
  bodyTruncated: boolean;
  /**
   * The address of the connection, in canonical form: one that passed the check, never one that was refused. Also told
   * when TLS or the answer failed; null when there was no connection.
   */
  remoteAddress: string | null;
}

/** Response headers that a result keeps, in lower case: none of them carries credentials. */
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

/** Characters of a response header that are kept. */
export const MAX_HEADER_CHARS = 256;

/** Bytes of a response body that are read before the connection is closed. */
export const MAX_BODY_BYTES = 64 * 1024;

/** Bytes of a response body that are kept, and of the text made of them. */
export const MAX_EXCERPT_BYTES = 16 * 1024;

/** A failure with its place in the list of errors. */
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

/** The place of an error that came while the connection was being made. */
export function connectFailure(error: unknown, tlsStarted: boolean): OutboundFailure {
  if (error instanceof OutboundFailure) return error;
  const code = codeOf(error);
  return new OutboundFailure(tlsStarted ? 'tls_error' : (CONNECT_ERRORS[code ?? ''] ?? 'connect_failed'), code);
}

const BAD_ANSWERS = new Set(['bad response', 'bad upgrade']);

/** The place of an error that undici reports for a request. */
export function exchangeFailure(error: unknown): OutboundFailure {
  if (error instanceof OutboundFailure) return error;
  const code = codeOf(error);
  return new OutboundFailure(errorOf(code, error), code);
}

function errorOf(code: string | null, error: unknown): OutboundError {
  if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED') return 'invalid_request';
  if (code === 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH') return 'invalid_request';
  // The parser met the end of the connection in the middle of an answer.
  if (error instanceof errors.HTTPParserError)
    return error.message.includes('Invalid EOF state') ? 'connection_reset' : 'protocol_error';
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'protocol_error';
  if (error instanceof errors.SocketError && BAD_ANSWERS.has(error.message)) return 'protocol_error';
  return 'connection_reset';
}

/** Only codes leave here: messages of the system contain addresses. */
function codeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' && /^[A-Z0-9_]{1,64}$/.test(error.code) ? error.code : null;
}
