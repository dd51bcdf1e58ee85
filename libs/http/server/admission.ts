import { Inject, Injectable, Logger } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { Clock } from '#libs/kernel/clock.js';
import { Problem } from '#libs/kernel/problem.js';
import { Metrics } from '#libs/metrics/metrics.js';
import { RefusalTurns } from './refusal-turns.js';
import { sendProblem } from './send-problem.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The request's slots while it is processed; null before and after, `refused` if there was no room. */
    place: Place | 'refused' | null;
  }
}

interface Place {
  weight: number;
  /** The tenant that the request counts towards; null until a credential has been accepted. */
  tenantId: string | null;
}

/** A body takes one more slot per this many bytes, so that the slots also bound memory. */
const BYTES_PER_PLACE = 65_536;
/** Routes that must respond even under overload. */
const EXEMPT = /^\/(?:health\/|metrics$)/;
const LOG_PAUSE_MS = 10_000;
const HEADERS = { 'retry-after': '1' };
const FULL = new Problem('overloaded', 'The service has more to do than it can; try again.', { headers: HEADERS });
const UNFAIR = new Problem('overloaded', 'The tenant has too many requests under way at once; try again.', {
  headers: HEADERS,
});

/**
 * Limits the concurrent requests of a process. Excess requests are refused before their body is read. This bounds the
 * queue for database connections, memory, and the waiting time of a request.
 *
 * A slot is held from the arrival of the body until the response is ready, so slow clients hold none. A tenant may
 * hold as many slots as are free: half of them if it is alone, a third beside another greedy tenant. There is always
 * room for others. `Source:` Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory packet switches",
 * 1998; ADR 27.
 */
@Injectable()
export class Admission {
  private readonly logger = new Logger('http');
  private readonly places: number;
  private readonly byTenant = new Map<string, number>();
  private readonly refusals;
  private readonly turns = new RefusalTurns();
  private taken = 0;
  private unlogged = 0;
  private loggedAtMs = -Infinity;

  constructor(
    @Inject(SETTINGS_TOKEN) settings: Settings,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    this.places = settings.MAX_REQUESTS;
    this.refusals = metrics.counter(
      'http_requests_refused_total',
      'Requests refused for want of capacity: of the process (full), for one tenant (tenant), of the database (connection).',
      ['reason'],
    );
    metrics.gauge('http_places_taken', 'Places that requests under way take, of MAX_REQUESTS.', () => this.taken);
  }

  /** Installs the hooks; call it after those that set the request's id and dialect. */
  guard(server: FastifyInstance): void {
    server.decorateRequest('place', null);
    server.addHook('onRequest', (request, reply, done) =>
      this.taken < this.places || isExempt(pathOf(request)) ? done() : this.turnAway(request, reply),
    );
    server.addHook('preValidation', (request, reply, done) =>
      isExempt(pathOf(request)) || this.enter(request) ? done() : this.turnAway(request, reply),
    );
    server.addHook('onSend', (request, _reply, payload, done) => {
      this.leave(request);
      done(null, payload);
    });
  }

  /**
   * Counts the request towards its tenant. @throws Problem `overloaded` if the tenant holds more slots than are free.
   */
  share(request: FastifyRequest, tenantId: string): void {
    const { place } = request;
    if (place === null || place === 'refused') return;
    const held = (this.byTenant.get(tenantId) ?? 0) + place.weight;
    if (held > this.places - this.taken) {
      this.leave(request);
      throw UNFAIR;
    }
    place.tenantId = tenantId;
    this.byTenant.set(tenantId, held);
  }

  /** Responds with 503 `overloaded`, counts it, and logs it at intervals. */
  refuse(problem: Problem, request: FastifyRequest, reply: FastifyReply): void {
    this.count(problem);
    this.turns.take(request.raw.socket, () => sendProblem(reply, problem, request.id, request.dialect));
  }

  private count(problem: Problem): void {
    this.refusals.inc({ reason: problem === FULL ? 'full' : problem === UNFAIR ? 'tenant' : 'connection' });
    this.unlogged += 1;
    if (this.clock.nowMs() - this.loggedAtMs < LOG_PAUSE_MS) return;
    this.logger.warn(`${this.unlogged} requests refused since this was last said; ${problem.detail}`);
    this.loggedAtMs = this.clock.nowMs();
    this.unlogged = 0;
  }

  private enter(request: FastifyRequest): boolean {
    const { body } = request;
    const weight = 1 + (Buffer.isBuffer(body) ? Math.floor(body.length / BYTES_PER_PLACE) : 0);
    if (this.taken + weight > this.places) return false;
    this.taken += weight;
    request.place = { weight, tenantId: null };
    return true;
  }

  private leave(request: FastifyRequest): void {
    const { place } = request;
    if (place === null || place === 'refused') return;
    request.place = null;
    this.taken -= place.weight;
    if (place.tenantId === null) return;
    const held = this.byTenant.get(place.tenantId)! - place.weight;
    if (held > 0) this.byTenant.set(place.tenantId, held);
    else this.byTenant.delete(place.tenantId);
  }

  private turnAway(request: FastifyRequest, reply: FastifyReply): void {
    request.place = 'refused';
    this.refuse(FULL, request, reply);
  }
}

/** The route's path; empty if there is none. */
const pathOf = (request: FastifyRequest): string => request.routeOptions.url ?? '';

/** Whether a route is exempt. */
export function isExempt(path: string): boolean {
  return EXEMPT.test(path);
}
