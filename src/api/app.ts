import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import fastifyStatic from '@fastify/static';
import { NestFactory } from '@nestjs/core';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { pino, type Logger } from 'pino';
import { buildDocument } from '#libs/http/openapi.js';
import { createAdapter, prepareServer } from '#libs/http/server.js';
import { setTransactionProbe } from '#libs/outbound/transaction-probe.js';
import { isTransactionOpen } from '#libs/tenancy/scope.js';
import type { ProcessOptions } from '#src/platform/platform.module.js';
import { NestLogger } from '#src/platform/nest-logger.js';
import { ALIASED, ApiModule } from './api.module.js';
import { DOCS_PAGE } from './docs-page.js';

/** An initialised REST app that does not listen yet, and its OpenAPI document. */
export interface Api {
  app: NestFastifyApplication;
  document: OpenAPIObject;
}

/** Builds the REST app: the same in production, in tests and for the OpenAPI snapshot. */
export async function createApi(options: ProcessOptions, logger: Logger = createLogger(options)): Promise<Api> {
  setTransactionProbe(isTransactionOpen);
  const adapter = createAdapter(options.settings, logger, ALIASED);
  const app = await NestFactory.create<NestFastifyApplication>(ApiModule.forProcess(options), adapter, {
    logger: new NestLogger(logger),
    bodyParser: false,
    abortOnError: false,
  });
  const server = prepareServer(app);
  const document: { current: OpenAPIObject | null } = { current: null };
  serveDocs(server, document);
  await app.init();
  document.current = buildDocument(app, ALIASED);
  await server.ready();
  return { app, document: document.current };
}

export function createLogger({ settings, name }: Pick<ProcessOptions, 'settings' | 'name'>): Logger {
  return pino({
    name,
    level: settings.LOG_LEVEL,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: ['req.headers', 'headers', '*.apiKey', '*.secret', '*.token', '*.password'], remove: true },
  });
}

/** The OpenAPI document and a reference page made from bundled files; nothing is loaded from elsewhere. */
function serveDocs(server: FastifyInstance, document: { current: OpenAPIObject | null }): void {
  let text: string | null = null;
  server.get('/openapi.json', (_request, reply) => {
    text ??= JSON.stringify(document.current);
    return reply.type('application/json; charset=utf-8').send(text);
  });
  const require = createRequire(import.meta.url);
  const root = dirname(require.resolve('swagger-ui-dist/package.json'));
  void server.register(fastifyStatic, {
    root,
    prefix: '/docs/assets/',
    decorateReply: false,
    allowedPath: (path) => /^\/(swagger-ui\.css|swagger-ui-bundle\.js)$/.test(path),
    cacheControl: false,
  });
  server.get('/docs', (_request, reply) =>
    reply
      .header('content-security-policy', DOCS_PAGE.policy)
      .type('text/html; charset=utf-8')
      .send(DOCS_PAGE.html),
  );
  server.get('/docs/page.js', (_request, reply) => reply.type('text/javascript; charset=utf-8').send(DOCS_PAGE.script));
}
