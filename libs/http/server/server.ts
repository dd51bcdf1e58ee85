import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { INestApplication } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { neededBy } from '#libs/auth/current-principal.js';
import { RequestAccounts } from '#libs/request-counts/request-accounts.js';
import type { CountedRequest } from '#libs/request-counts/request-counts.js';
import type { Principal } from '#libs/auth/principal.js';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { AllowedAddresses } from '#libs/kernel/network.js';
import { Problem } from '#libs/kernel/problem.js';
import { readTraceparent, traceIdOf } from '#libs/telemetry/traceparent.js';
import { runInScope, Scope } from '#libs/tenancy/scope.js';
import { Accepted, Otherwise } from '../accepted.js';
import { Admission } from './admission.js';
import { answerHeaders, namesTag } from '../answer-headers.js';
import type { RouteOptions } from '../route.js';
import { Metrics } from '#libs/metrics/metrics.js';
import { clientAddress } from './client-address.js';
import { answerClientErrors, noteDialect } from './client-errors.js';
import { type Dialect, dialectOf } from '../dialect.js';
import { closePromptly } from './closing.js';
import type { JsonSchema } from '../field.js';
import { RouteTable } from '../route-table.js';
import { sendProblem } from './send-problem.js';
import { serializerOf } from '../serializers.js';
import { leaveUploadsUnread } from '../uploads/upload-bodies.js';
import { cutSlowClients } from './slow-clients.js';
import { traceRequests } from './trace-requests.js';

declare module 'fastify' {
  interface FastifyRequest {
    scope: Scope;
    /** Declaration of the handler, once a guard has read it. */
    route: RouteOptions | null;
    /** The owner of the credential, once passport has verified it. */
    user: Principal | null;
    /** The account that counted the request; null before the limiter runs. */
    counted: CountedRequest | null;
    /** When the request arrived (`performance.now()`). */
    arrivedMs: number;
    /** The dialect of the path; null for the API's own conventions. */
    dialect: Dialect | null;
  }
}

const BODY_LIMIT_BYTES = 1_048_576;
/**
 * Longer than load balancers keep an idle connection, so that they close it first. Otherwise we might close it just as
 * they reuse it.
 */
const IDLE_MS = 65_000;
const HEADERS_MS = 15_000;
/** How often Node checks for requests that arrive too slowly. */
const CHECK_MS = 1_000;
const REQUEST_ID = /^[A-Za-z0-9_-]{8,128}$/;
const PLAIN_HEADERS = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
};

/** Aliases below `/api` and their collections below `/api/v1`, each as two path segments. */
export type Aliases = Readonly<Record<string, string>>;

/** Rewrites an alias to the path of its collection, so that both use the same route. */
export function aliasRewriter(aliases: Aliases): (url: string) => string {
  const collections = new Map(Object.entries(aliases));
  return (url) => {
    const [path, alias = ''] = /^\/api\/([a-z-]+\/[a-z-]+)(?=[/?]|$)/.exec(url) ?? [''];
    const collection = collections.get(alias);
    return collection === undefined ? url : `/api/v1/${collection}${url.slice(path.length)}`;
  };
}

/** Rewrites paths before routing. */
export interface Ways {
  aliases: Aliases;
  dialects: readonly Dialect[];
}

/** The Fastify adapter with limits on what a connection may cost. */
export function createAdapter(
  settings: Settings,
  logger: FastifyBaseLogger,
  { aliases, dialects }: Ways,
): FastifyAdapter {
  const unalias = aliasRewriter(aliases);
  const timeoutMs = settings.CLIENT_TIMEOUT_SECONDS * 1_000;
  const rewrite = (url: string): string => dialectOf(dialects, url)?.rewrite(url) ?? unalias(url);
  return new FastifyAdapter({
    skipMiddie: true, // Nest middleware is not used: on Fastify its path matching has been bypassed more than once
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (parent: FastifyBaseLogger) => parent,
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: 0, // `cutSlowClients` limits bodies, because those with files take longer
    connectionTimeout: IDLE_MS,
    keepAliveTimeout: IDLE_MS,
    http: { headersTimeout: Math.min(HEADERS_MS, timeoutMs), connectionsCheckingInterval: CHECK_MS },
    trustProxy: settings.TRUSTED_PROXIES.length > 0 ? settings.TRUSTED_PROXIES : false,
    genReqId: requestIdOf,
    rewriteUrl: (request: IncomingMessage) => rewrite(request.url ?? '/'),
    routerOptions: { maxParamLength: 500 },
    clientErrorHandler: answerClientErrors(dialects),
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) =>
      refuseUrl(error, request.id, reply, dialectOf(dialects, request.url)),
  });
}

function refuseUrl(cause: Error, requestId: string, reply: FastifyReply, dialect: Dialect | null): void {
  const problem = new Problem('bad_request', 'The URL is not well-formed.', { cause });
  sendProblem(reply.header('x-request-id', requestId), problem, requestId, dialect);
}

function requestIdOf(request: { headers: Record<string, string | string[] | undefined> }): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : `req_${randomUUID()}`;
}

/** Installs hooks and parsers; call it before the application is initialised. */
export function prepareServer(app: INestApplication, dialects: readonly Dialect[]): FastifyInstance {
  const server = app.getHttpAdapter().getInstance() as FastifyInstance;
  const routes = app.get(RouteTable);
  server.addHook('onRoute', ({ method, url }) => [method].flat().forEach((each) => routes.add(each, url)));
  server.setSerializerCompiler<JsonSchema>(({ schema }) => serializerOf(schema));
  keepBodies(server);
  leaveUploadsUnread(server);
  useScope(server, new AllowedAddresses(app.get<Settings>(SETTINGS_TOKEN).TRUSTED_PROXIES), dialects);
  boundLoad(server, app);
  traceRequests(server);
  useAnswerHeaders(server);
  server.addHook('onSend', (request, reply, payload, done) => done(null, unlessKnown(request, reply, payload)));
  closePromptly(server);
  account(server, app.get(Metrics), app.get(RequestAccounts));
  return server;
}

/**
 * Bodies remain bytes until {@link InputGuard} reads them: nothing is parsed for callers without a valid credential.
 */
function keepBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}

/** Bounds the memory and concurrency that clients can use. */
function boundLoad(server: FastifyInstance, app: INestApplication): void {
  const settings = app.get<Settings>(SETTINGS_TOKEN);
  const metrics = app.get(Metrics);
  const help = 'Connections closed at once (full) or because the client read or sent too slowly (slow).';
  const connections = metrics.counter('http_connections_cut_total', help, ['reason']);
  server.server.maxConnections = settings.MAX_CONNECTIONS;
  server.server.on('drop', () => connections.inc({ reason: 'full' }));
  app.get(Admission).guard(server);
  cutSlowClients(server, settings.CLIENT_TIMEOUT_SECONDS * 1_000, () => connections.inc({ reason: 'slow' }));
}

/**
 * Gives every request a scope. The scope is entered again after the body is read, because reading happens in the
 * socket's context.
 */
function useScope(server: FastifyInstance, trusted: AllowedAddresses, dialects: readonly Dialect[]): void {
  server.decorateRequest('scope', null as unknown as Scope); // Fastify wants the shape before the first request
  server.decorateRequest('route', null);
  server.decorateRequest('user', null);
  server.decorateRequest('counted', null);
  server.decorateRequest('arrivedMs', 0);
  server.decorateRequest('dialect', null);
  server.addHook('onRequest', (request, reply, done) => {
    const scope = new Scope(request.id);
    scope.clientIp = clientAddress(request.socket.remoteAddress ?? '', forwardedFor(request), trusted);
    scope.userAgent = request.headers['user-agent'] ?? null;
    scope.traceparent = readTraceparent(request.headers['traceparent']);
    scope.ifMatch = request.headers['if-match'] ?? null;
    request.scope = scope;
    request.arrivedMs = performance.now();
    request.dialect = dialectOf(dialects, request.url);
    if (request.dialect) noteDialect(request.raw.socket, request.dialect);
    void reply.header('x-request-id', request.id).headers(PLAIN_HEADERS);
    runInScope(scope, done);
  });
  server.addHook('preValidation', (request, _reply, done) =>
    request.method === 'GET' || request.method === 'HEAD' ? done() : runInScope(request.scope, done),
  );
}

function forwardedFor({ headers }: FastifyRequest): string {
  return [headers['x-forwarded-for'] ?? ''].flat().join(',');
}

/** Sets the headers derived from the response (ETag, Location). */
function useAnswerHeaders(server: FastifyInstance): void {
  // A callback instead of a promise, because no response waits here.
  server.addHook('preSerialization', (request, reply, answer: unknown, done) => {
    const { route } = request;
    if (answer instanceof Accepted) void reply.code(202);
    if (answer instanceof Otherwise) void reply.code(200);
    if (route) void reply.headers(answerHeaders(route, request, answer));
    done(null, answer);
  });
}

/**
 * Writes one log line and one measurement per admitted request. The tenant's figures are complete after its last
 * response.
 */
function account(server: FastifyInstance, metrics: Metrics, accounts: RequestAccounts): void {
  server.addHook('onClose', () => accounts.close());
  server.addHook('onRequestAbort', (request, done) => {
    const { counted } = request;
    request.counted = null; // a response that is still sent reaches nobody
    if (counted) accounts.abandoned(counted, performance.now() - request.arrivedMs);
    done();
  });
  server.addHook('onResponse', (request, reply, done) => {
    const { scope, method, counted } = request;
    const route = request.routeOptions.url ?? 'none';
    const ms = reply.elapsedTime;
    metrics.request(method, route, reply.statusCode, ms / 1000);
    if (counted) {
      const bytes = bytesOf(request, reply);
      const replayed = reply.hasHeader('idempotent-replayed');
      accounts.answered(counted, { status: reply.statusCode, ms, bytes, replayed, permissions: neededBy(scope) });
    }
    if (request.place === 'refused') return done(); // a flood would fill the log; refusals are logged in summary
    server.log.info(
      {
        requestId: scope.requestId,
        traceId: traceIdOf(scope.traceparent),
        tenantId: scope.tenant?.id ?? null,
        actorId: scope.actor.id,
        operation: scope.operation,
        method,
        route,
        status: reply.statusCode,
        ms: Math.round(ms * 100) / 100,
      },
      'request',
    );
    done();
  });
}

/** Size of the sent body; 0 for a stream, whose length is not known in advance. */
function bytesOf(request: FastifyRequest, reply: FastifyReply): number {
  return request.method === 'HEAD' ? 0 : Number(reply.getHeader('content-length') ?? 0);
}

/** Responds with 304 if the caller already has this version. */
function unlessKnown(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  const tag = reply.getHeader('etag');
  const known = request.headers['if-none-match'];
  const readable = request.method === 'GET' || request.method === 'HEAD';
  if (!readable || typeof tag !== 'string' || known === undefined || reply.statusCode !== 200) return payload;
  if (!namesTag(known, tag, true)) return payload;
  void reply.code(304).removeHeader('content-type').removeHeader('content-length');
  return request.method === 'HEAD' ? payload : null; // Fastify measures what a HEAD does not send
}
