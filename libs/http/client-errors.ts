import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Problem, type ProblemCode } from '#libs/kernel/problem.js';
import { type Dialect, dialectOf } from './dialect.js';

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

/** The beginning of a request, if it stands at the beginning of what came last. */
const REQUEST_LINE = /^[A-Z]+ (\S+)/;
/** Longest part of a packet that is looked at for it. */
const LINE_BYTES = 1_024;

/** Connections that have asked for something in a dialect: what they mean where it cannot be read is most likely that, too. */
const spoken = new WeakMap<Socket, Dialect>();

/** Notes that a request on a connection was in a dialect. */
export function noteDialect(socket: Socket, dialect: Dialect): void {
  spoken.set(socket, dialect);
}

/** What Node says of a request that it cannot read; `rawPacket` is what came last, not all that came. */
type ClientError = Error & { code?: string; rawPacket?: unknown };

/**
 * Answers what is not a readable HTTP request, for which no request object ever exists, and closes the connection. It is
 * answered in the dialect of its path, as far as the path can be known.
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

/** What the request line at the beginning of a packet asks for; null where there is none. */
function pathIn(packet: unknown): string | null {
  if (!Buffer.isBuffer(packet)) return null;
  return REQUEST_LINE.exec(packet.toString('latin1', 0, LINE_BYTES))?.[1] ?? null;
}

/**
 * Whether nothing but the answer to this request can be meant by what is written now: no other is under way, and of one
 * that has not arrived in time nothing has been sent. Node keeps the answer under way on the socket, and decides by it too.
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
