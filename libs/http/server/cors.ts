import type { FastifyInstance } from 'fastify';

const EXPOSED = 'etag, location, retry-after, x-request-id, idempotent-replayed, ratelimit, ratelimit-policy';
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const HEADERS =
  'content-type, authorization, x-api-key, x-tenant-slug, idempotency-key, if-match, if-none-match, x-request-id';

/**
 * Lets pages on these origins call the API with the browser's session. Without any, browsers block all other pages. An
 * origin is always explicit, because `*` would trust every page. Call it after the other hooks, because it responds to
 * preflights.
 */
export function allowOrigins(server: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  server.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers;
    void reply.header('vary', 'origin');
    if (origin === undefined || !origins.includes(origin)) return done();
    void reply.headers({
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': EXPOSED,
    });
    if (request.method !== 'OPTIONS') return done();
    void reply
      .code(204)
      .headers({
        'access-control-allow-methods': METHODS,
        'access-control-allow-headers': HEADERS,
        'access-control-max-age': '600',
      })
      .send();
  });
}
