import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Upload } from './upload.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The unread body of a request that brings a file; null for any other. */
    uploadStream: IncomingMessage | null;
    /** The file, once it has arrived. */
    upload: Upload | null;
  }
}

export const MULTIPART = 'multipart/form-data';
export const BYTES = 'application/octet-stream';
/** Time for a client to notice that the rest of its file is not wanted. */
const LINGER_MS = 5_000;

/**
 * Leaves bodies of these media types unread: only a route that takes a file reads them, and only for callers that may
 * send one. They may be larger than any other body, and are never kept in memory.
 */
export function leaveUploadsUnread(server: FastifyInstance): void {
  server.decorateRequest('uploadStream', null);
  server.decorateRequest('upload', null);
  server.addContentTypeParser([MULTIPART, BYTES], (request, payload, done) => {
    request.uploadStream = payload;
    done(null, undefined);
  });
  server.addHook('onResponse', (request, _reply, done) => {
    const { uploadStream } = request;
    if (uploadStream && !uploadStream.complete) giveUp(uploadStream);
    done();
  });
}

/** Reads on for a moment, because a client may not look at the response before it has sent everything. */
function giveUp(stream: IncomingMessage): void {
  const timer = setTimeout(() => stream.socket.destroy(), LINGER_MS);
  stream.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
  stream.on('error', () => undefined).resume();
}
