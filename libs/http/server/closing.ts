import type { FastifyInstance } from 'fastify';

/** Longest wait for running requests, ms: longer than a statement may take, shorter than a process may take to stop. */
const GRACE_MS = 20_000;

/**
 * Closes the server as soon as the running requests are answered. Node itself would wait a minute or more for clients
 * to close connections that were busy when it began to close.
 */
export function closePromptly(server: FastifyInstance): void {
  let closing = false;
  server.addHook('preClose', (done) => {
    closing = true;
    setTimeout(() => server.server.closeAllConnections(), GRACE_MS).unref();
    done();
  });
  server.addHook('onSend', (_request, reply, payload, done) => {
    if (closing) void reply.header('connection', 'close');
    done(null, payload);
  });
  server.addHook('onResponse', (_request, _reply, done) => {
    if (closing) setImmediate(() => server.server.closeIdleConnections()); // this one is idle by then
    done();
  });
}
