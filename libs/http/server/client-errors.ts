import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Problem, type ProblemCode } from '#libs/kernel/problem.js';
import { type Dialect, dialectOf } from '../dialect.js';

const TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT';
const CODES: Record<string, ProblemCode> = {
  [TIMEOUT]: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
};
const REASONS: Partial<Record<ProblemCode, string>> = {
  request_timeout: 'Request Timeout',
  headers_too_large: 'Request Header Fields Too Large',
};
const DETAILS: Partial<Record<ProblemCode, string>> = {
  request_timeout: 'The request did not arrive in time.',
  headers_too_large: 'Request line and header fields may have at most 16 KiB together.',
};

/** A request line at the beginning of the last packet. */
const REQUEST_LINE = /^[A-Z]+ (\S+)/;
/** Only this much of a packet is searched for the request line. */
const LINE_BYTES = 1_024;

/**
 * Connections that had a request in a dialect. A malformed request on such a connection most likely uses the dialect
 * too.
 */
const spoken = new WeakMap<Socket, Dialect>();

/** Records that a request on a connection used a dialect. */
export function noteDialect(socket: Socket, dialect: Dialect): void {
  spoken.set(socket, dialect);
}

/** Node's error for a malformed request; `rawPacket` is the last packet, not the whole request. */
type ClientError = Error & { code?: string; rawPacket?: unknown };

/**
 * Responds to malformed HTTP requests, which never get a request object, and closes the connection. Uses the dialect
 * of the path if the path can be determined.
 */
export function answerClientErrors(dialects: readonly Dialect[]): (error: ClientError, socket: Socket) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return;
    if (socket.writable && isFree(socket, error)) {
      const path = pathIn(error.rawPacket);
      const dialect = path === null ? (spoken.get(socket) ?? null) : dialectOf(dialects, path);
      socket.write(answerOf(CODES[error.code ?? ''] ?? 'bad_request', dialect));
    }
    socket.destroySoon();
  };
}

/** The target of a request line at the beginning of a packet; null if there is none. */
function pathIn(packet: unknown): string | null {
  if (!Buffer.isBuffer(packet)) return null;
  return REQUEST_LINE.exec(packet.toString('latin1', 0, LINE_BYTES))?.[1] ?? null;
}

/**
 * Whether a response written now can only be taken for the response to this request, because no other response is in
 * progress. Node stores the current response on the socket and uses the same check.
 */
function isFree(socket: Socket, { code }: ClientError): boolean {
  const { _httpMessage: answer } = socket as Socket & { _httpMessage?: ServerResponse | null };
  return !answer || (code === TIMEOUT && !answer.headersSent);
}

function answerOf(code: ProblemCode, dialect: Dialect | null): string {
  const requestId = `req_${randomUUID()}`;
  const problem = new Problem(code, DETAILS[code] ?? 'The request is not well-formed HTTP.');
  const body = JSON.stringify(dialect?.errorOf(problem) ?? problem.toDocument(requestId));
  return [
    `HTTP/1.1 ${problem.status} ${REASONS[code] ?? 'Bad Request'}`,
    `content-type: ${dialect?.mediaType ?? 'application/problem+json'}`,
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'cache-control: no-store',
    'connection: close',
    '',
    body,
  ].join('\r\n');
}
