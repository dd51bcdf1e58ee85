import type { FastifyInstance } from 'fastify';

/** Longest wait for requests under way, ms: longer than a statement may take, shorter than a process may take to stop. */
const GRACE_MS = 20_000;

/**
 * Has the server close as soon as the requests under way are answered. By itself Node would wait for callers to let go of
 * connections that were busy when it began to close, a minute and more.
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
