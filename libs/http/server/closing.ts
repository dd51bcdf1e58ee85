import type { FastifyInstance } from 'fastify';

/**
 * Maximum wait for running requests, in ms: longer than the statement timeout, shorter than the stop timeout of a
 * process.
 */
const GRACE_MS = 20_000;

/**
 * Closes the server as soon as the running requests are finished. Node itself would wait a minute or more for clients
 * to close connections that were busy when closing began.
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
