import { Inject, Injectable, Optional } from '@nestjs/common';
import type { OnApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SETTINGS_TOKEN } from '#libs/config/settings.js';
import { currentTraceparent } from '#libs/tenancy/scope.js';
import { type NetworkSettings, networksOf } from './address.js';
import { callSpan, continueTrace, endCall } from './call-span.js';
import { ConnectionPool } from './connection-pool.js';
import { Exchange, type ExchangeTools } from './exchange.js';
import { DNS_TIMEOUT_MS } from './host-vetting.js';
import type { OutboundError, OutboundResult } from './outbound-result.js';
import { Resolver } from './resolver.js';
import { type BodyBounds, EXCERPT } from './response-excerpt.js';
import { readTarget } from './target.js';
import { assertNoOpenTransaction } from './transaction-probe.js';
import { VETTING_MAX_AGE_MS, VettedHosts } from './vetted-hosts.js';

/** One outbound call. */
export interface OutboundRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  url: string;
  /** Without those of the connection (`host`, `content-length`, ...); `accept-encoding` is always `identity`. */
  headers: Readonly<Record<string, string>>;
  body: Buffer | string | null;
  /** Time limit of the whole exchange, including DNS and the response body: 1,000 to 30,000. */
  timeoutMs: number;
  /**
   * Whether the request may safely arrive twice; by default true for GET, HEAD, OPTIONS, PUT and DELETE. Then it is
   * sent again if a kept connection turns out to be closed before the response begins.
   */
  idempotent?: boolean;
  /** Aborts the exchange, with `aborted`. */
  signal?: AbortSignal;
  /** Span that the call belongs to; by default that of the running request or job. */
  parent?: string;
}

/** Limits that a test may lower. */
export interface OutboundLimits {
  dnsTimeoutMs: number;
  connectTimeoutMs: number;
  /** How long a vetted DNS result is used. */
  vettingMaxAgeMs: number;
  /** Age at which a connection is no longer reused. */
  connectionMaxAgeMs: number;
  /** A monotonic clock, ms. */
  nowMs: () => number;
}

/** A running exchange, and its additional abort signal. */
interface Running {
  exchange: Exchange;
  signal: AbortSignal | null;
  /** Index in the list of running exchanges. */
  place: number;
}

/** DI token of a partial {@link OutboundLimits}; without it the defaults apply. */
export const OUTBOUND_LIMITS = Symbol('outbound limits');

const DEFAULTS: OutboundLimits = {
  dnsTimeoutMs: DNS_TIMEOUT_MS,
  connectTimeoutMs: 5_000,
  vettingMaxAgeMs: VETTING_MAX_AGE_MS,
  connectionMaxAgeMs: 60_000,
  nowMs: () => performance.now(),
};

const MIN_TIMEOUT_MS = 1_000;
const MAX_TIMEOUT_MS = 30_000;
/** For calls whose response matters: model calls take minutes. */
const MAX_LONG_TIMEOUT_MS = 600_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const SHUTDOWN_GRACE_MS = 5_000;
const MAX_TARGETS = 2_000;
const HEADERS_OF_THE_CONNECTION = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * The only HTTP client of the platform, for every call to an address chosen by others.
 *
 * It resolves the host, checks every address by its numeric value, and connects only to the checked addresses. A single
 * address that is not public (and not in `WEBHOOK_ALLOWED_CIDRS`), or in `WEBHOOK_DENIED_CIDRS`, rejects the call. A
 * vetted result is used for at most 5 s. A kept connection is used for at most 60 s, and only while its peer is among
 * the addresses vetted for the current call. Redirects are not followed, proxy environment variables are ignored, and
 * responses are not decompressed; time and bytes are limited; TLS is always verified.
 */
@Injectable()
export class OutboundClient implements OnApplicationShutdown {
  /** The same few URLs repeat. */
  readonly #targets = new LRUCache({ max: MAX_TARGETS, memoMethod: (url: string) => readTarget(url) });
  readonly #hosts: VettedHosts;
  readonly #pool: ConnectionPool;
  readonly #tools: ExchangeTools;
  /**
   * In any order. Not a `Set`: when members come and go, it leaves its old tables behind, and V8 keeps their contents,
   * with bodies and responses, until it collects the whole heap.
   */
  readonly #running: Running[] = [];
  /** Abort signals, with one listener each for all exchanges. */
  readonly #signals = new WeakSet<AbortSignal>();
  #onIdle: (() => void) | null = null;
  #closed = false;

  constructor(
    @Inject(SETTINGS_TOKEN) settings: NetworkSettings,
    resolver: Resolver,
    @Optional() @Inject(OUTBOUND_LIMITS) limits: Partial<OutboundLimits> = {},
  ) {
    const { dnsTimeoutMs, connectTimeoutMs, vettingMaxAgeMs, connectionMaxAgeMs, nowMs } = { ...DEFAULTS, ...limits };
    const networks = networksOf(settings);
    this.#hosts = new VettedHosts({ ...networks, resolver, dnsTimeoutMs }, nowMs, vettingMaxAgeMs);
    this.#pool = new ConnectionPool({ ...networks, connectTimeoutMs, maxAgeMs: connectionMaxAgeMs, nowMs });
    this.#tools = { hosts: this.#hosts, pool: this.#pool, nowMs };
  }

  /**
   * Sends one request and reads the response. The result contains all failures of the network and the peer.
   * @throws Error if a database transaction is open, the client is closed, or `timeoutMs` is out of range: mistakes in
   *   the caller's code
   */
  request(request: OutboundRequest): Promise<OutboundResult> {
    return this.#exchange(request, MAX_TIMEOUT_MS, EXCERPT);
  }

  /**
   * Like {@link request}, for services whose response matters: `bodyExcerpt` is the whole body, up to `maxAnswerBytes`
   * (at most 4 MiB; `bodyTruncated` if it is longer), and `timeoutMs` may be up to 600,000. The guard is the same.
   */
  async requestWhole(request: OutboundRequest, maxAnswerBytes: number): Promise<OutboundResult> {
    if (!Number.isInteger(maxAnswerBytes) || maxAnswerBytes < 1 || maxAnswerBytes > MAX_ANSWER_BYTES)
      throw new RangeError(`maxAnswerBytes must be a whole number from 1 to ${MAX_ANSWER_BYTES}`);
    const bounds = { readBytes: maxAnswerBytes, keptBytes: maxAnswerBytes };
    return this.#exchange(request, MAX_LONG_TIMEOUT_MS, bounds);
  }

  async #exchange(request: OutboundRequest, maxTimeoutMs: number, bodyBounds: BodyBounds): Promise<OutboundResult> {
    assertNoOpenTransaction();
    if (this.#closed) throw new Error('the outbound client is closed');
    const { url, method, body, timeoutMs, signal = null } = request;
    if (!Number.isInteger(timeoutMs) || timeoutMs < MIN_TIMEOUT_MS || timeoutMs > maxTimeoutMs)
      throw new RangeError(`timeoutMs must be a whole number from ${MIN_TIMEOUT_MS} to ${maxTimeoutMs}`);
    const target = this.#targets.memo(url);
    if (target.url === null) return refused('invalid_request');
    const headers = flatten(request.headers);
    if (headers === null) return refused('invalid_request');
    const idempotent = request.idempotent ?? (method !== 'POST' && method !== 'PATCH');
    if (signal?.aborted) return refused('aborted');
    if (signal) this.#listenTo(signal);
    const parent = request.parent ?? currentTraceparent();
    const span = parent === null ? null : callSpan(method, target.url, parent);
    if (span) continueTrace(headers, span);
    const result = await this.#run({ target, method, headers, body, timeoutMs, idempotent, bodyBounds }, signal);
    if (span) endCall(span, result);
    return result;
  }

  /**
   * Closes the client: it accepts no new requests, closes idle connections, and aborts running exchanges with `aborted`
   * after `graceMs`.
   */
  async close(graceMs: number = SHUTDOWN_GRACE_MS): Promise<void> {
    this.#closed = true;
    this.#pool.closeIdle();
    if (this.#running.length > 0) {
      const timer = setTimeout(() => this.#abort(() => true), graceMs);
      await new Promise<void>((resolve) => (this.#onIdle = resolve));
      clearTimeout(timer);
    }
    this.#pool.closeIdle();
  }

  /** Nest calls this when the app stops, after it has notified the job handlers. */
  async onApplicationShutdown(): Promise<void> {
    await this.close();
  }

  #listenTo(signal: AbortSignal): void {
    if (this.#signals.has(signal)) return;
    this.#signals.add(signal);
    signal.addEventListener('abort', () => this.#abort((running) => running.signal === signal), { once: true });
  }

  #abort(which: (running: Running) => boolean): void {
    for (const { exchange } of this.#running.filter(which)) exchange.abort();
  }

  #run(prepared: ConstructorParameters<typeof Exchange>[0], signal: AbortSignal | null): Promise<OutboundResult> {
    return new Promise((resolve) => {
      const exchange: Exchange = new Exchange(prepared, this.#tools, (result) => {
        this.#leave(running);
        resolve(result);
        // After the connection has been returned, because closing must find it.
        if (this.#closed && this.#running.length === 0) setImmediate(() => this.#onIdle?.());
      });
      const running = { exchange, signal, place: this.#running.length };
      this.#running.push(running);
      exchange.start();
    });
  }

  #leave(running: Running): void {
    const last = this.#running.pop()!;
    if (last === running) return;
    this.#running[running.place] = last;
    last.place = running.place;
  }
}

/** Names and values alternate; null if one of the names belongs to the connection. */
function flatten(headers: Readonly<Record<string, string>>): string[] | null {
  const flat: string[] = [];
  for (const name of Object.keys(headers)) {
    const lower = name.toLowerCase();
    if (HEADERS_OF_THE_CONNECTION.has(lower)) return null;
    if (lower !== 'accept-encoding') flat.push(name, headers[name]!);
  }
  flat.push('accept-encoding', 'identity');
  return flat;
}

function refused(error: OutboundError): OutboundResult {
  return {
    ok: false,
    httpStatus: null,
    error,
    errorDetail: null,
    timings: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 0 },
    responseHeaders: {},
    bodyExcerpt: '',
    bodyTruncated: false,
    remoteAddress: null,
  };
}
