import type { FastifyInstance } from 'fastify';
import { isTracing, type Span, startSpan } from '#libs/telemetry/tracing.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The running span; null if it has ended or none is recorded. */
    span: Span | null;
  }
}

/**
 * Records a span for each admitted request. It has the route template, never the path, which may contain a secret or a
 * name.
 */
export function traceRequests(server: FastifyInstance): void {
  if (!isTracing()) return;
  server.decorateRequest('span', null);
  server.addHook('onRequest', (request, _reply, done) => {
    const { method, scope, routeOptions, protocol } = request;
    const route = routeOptions.url;
    request.span = startSpan(route === undefined ? method : `${method} ${route}`, {
      kind: 'server',
      parent: scope.traceparent,
      attributes: {
        'http.request.method': method,
        'url.scheme': protocol,
        'platform.request.id': scope.requestId,
        ...(route === undefined ? {} : { 'http.route': route }),
      },
    });
    if (request.span) scope.traceparent = request.span.traceparent;
    done();
  });
  server.addHook('onRequestAbort', (request, done) => {
    request.span?.end('client_disconnected');
    request.span = null;
    done();
  });
  server.addHook('onResponse', (request, reply, done) => {
    const { span, scope } = request;
    const { statusCode } = reply;
    span?.set({
      'http.response.status_code': statusCode,
      ...(scope.tenant && { 'platform.tenant.id': scope.tenant.id }),
      ...(scope.operation !== null && { 'platform.operation': scope.operation }),
    });
    span?.end(statusCode >= 500 ? String(statusCode) : null);
    request.span = null;
    done();
  });
}
