import { createHash, timingSafeEqual } from 'node:crypto';
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { bearerOf } from '#libs/auth/strategies.js';
import { Database } from '#libs/database/database.js';
import { AddressLimits } from '#libs/http/address-limits.js';
import { ApiDocument } from '#libs/http/openapi/api-document.js';
import { allowOrigins } from '#libs/http/server/cors.js';
import { PublicUrl } from '#libs/http/public-url.js';
import { createAdapter, prepareServer } from '#libs/http/server/server.js';
import { Problem } from '#libs/kernel/problem.js';
import { Metrics } from '#libs/metrics/metrics.js';
import { setTransactionProbe } from '#libs/outbound/transaction-probe.js';
import { isTransactionOpen } from '#libs/tenancy/scope.js';
import type { ProcessOptions } from '#src/platform/platform.module.js';
import { watchConnections } from '#src/platform/connection-figures.js';
import { createLogger } from '#src/platform/logger.js';
import { NestLogger } from '#src/platform/nest-logger.js';
import { ALIASES, ApiModule, DIALECTS } from './api.module.js';
import { serveConsole } from './console.js';
import { serveDocs } from './docs.js';
import { TAGS } from './tags.js';

/** An initialised REST app that does not listen yet, and its OpenAPI document, which is built on demand. */
export interface Api {
  app: NestFastifyApplication;
  document: () => Promise<OpenAPIObject>;
}

/** Built once per process, because it depends only on the code. */
let document: Promise<OpenAPIObject> | null = null;

/** Builds the REST app: the same in production, in tests and for the OpenAPI snapshot. */
export async function createApi(options: ProcessOptions, logger: Logger = createLogger(options)): Promise<Api> {
  setTransactionProbe(isTransactionOpen);
  const adapter = createAdapter(options.settings, logger, { aliases: ALIASES, dialects: DIALECTS });
  const app = await NestFactory.create<NestFastifyApplication>(await ApiModule.forProcess(options), adapter, {
    logger: new NestLogger(logger),
    bodyParser: false,
    abortOnError: false,
  });
  const server = prepareServer(app, DIALECTS);
  allowOrigins(server, options.settings.CORS_ORIGINS);
  const documented = (): Promise<OpenAPIObject> => (document ??= documentOf(app));
  app.get(ApiDocument).comesFrom(documented);
  serveDocs(server, { limits: app.get(AddressLimits), openapi: documented, origin: () => app.get(PublicUrl).origin });
  serveConsole(server, app);
  serveMetrics(app, server, options.settings.METRICS_TOKEN);
  watchConnections(app.get(Database), app.get(Metrics));
  await app.init();
  await server.ready();
  return { app, document: documented };
}

/** The modules that build the document are loaded on demand, because most processes never serve it. */
async function documentOf(app: INestApplication): Promise<OpenAPIObject> {
  const { buildDocument } = await import('#libs/http/openapi/document.js');
  return buildDocument(app, { aliases: ALIASES, tags: TAGS });
}

/**
 * Serves `GET /metrics` with the token. Without a token setting the path does not exist; METRICS_PORT serves it
 * separately.
 */
function serveMetrics(app: INestApplication, server: FastifyInstance, token: string | null): void {
  if (token === null) return;
  const expected = createHash('sha256').update(token).digest();
  const metrics = app.get(Metrics);
  const addresses = app.get(AddressLimits);
  server.get('/metrics', async (request, reply) => {
    const given = createHash('sha256')
      .update(bearerOf(request.headers.authorization) ?? '')
      .digest();
    if (!timingSafeEqual(given, expected))
      throw (
        (await addresses.count(request.scope.clientIp ?? '', 'failed')) ??
        new Problem('unauthenticated', 'Metrics require the bearer token METRICS_TOKEN.')
      );
    return reply.type(metrics.registry.contentType).send(await metrics.text());
  });
}
