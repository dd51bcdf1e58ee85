import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { Problem, type ProblemCode } from '#libs/kernel/problem.js';

const CODES: Record<string, ProblemCode> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
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

/** Answers what is not a readable HTTP request, for which no request object ever exists, and closes the connection. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (socket.writable && socket.bytesWritten === 0) socket.write(answerOf(CODES[error.code ?? ''] ?? 'bad_request'));
  socket.destroySoon();
}

function answerOf(code: ProblemCode): string {
  const requestId = `req_${randomUUID()}`;
  const problem = new Problem(code, DETAILS[code] ?? 'The request is not well-formed HTTP.');
  const body = JSON.stringify(problem.toDocument(requestId));
  return [
    `HTTP/1.1 ${problem.status} ${REASONS[code] ?? 'Bad Request'}`,
    'content-type: application/problem+json',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'cache-control: no-store',
    'connection: close',
    '',
    body,
  ].join('\r\n');
}
