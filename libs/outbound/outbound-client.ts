import { Inject, Injectable, Optional } from '@nestjs/common';
import type { OnApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SETTINGS_TOKEN } from '#libs/config/settings.js';
import { type NetworkSettings, networksOf } from './address.js';
import { ConnectionPool } from './connection-pool.js';
import { Exchange, type ExchangeTools } from './exchange.js';
import { DNS_TIMEOUT_MS } from './host-vetting.js';
import type { OutboundError, OutboundResult } from './outbound-result.js';
import { Resolver } from './resolver.js';
import { type BodyBounds, EXCERPT } from './response-excerpt.js';
import { readTarget } from './target.js';
import { assertNoOpenTransaction } from './transaction-probe.js';
import { VETTING_MAX_AGE_MS, VettedHosts } from './vetted-hosts.js';

/** One call to the outside. */
export interface OutboundRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  url: string;
  /** Not those of the connection (`host`, `content-length`, ...); `accept-encoding` is always `identity`. */
  headers: Readonly<Record<string, string>>;
  body: Buffer | string | null;
  /** Bound on the whole exchange, with DNS and the body of the answer: 1,000 to 30,000. */
  timeoutMs: number;
  /**
   * Whether the request may safely arrive twice; true by default for GET, HEAD, OPTIONS, PUT and DELETE. Then it is
   * sent once more if a kept connection turns out to be closed before the response begins.
   */
  idempotent?: boolean;
  /** Ends the exchange with `aborted`. */
  signal?: AbortSignal;
}

/** Bounds that a test may tighten. */
export interface OutboundLimits {
  dnsTimeoutMs: number;
  connectTimeoutMs: number;
  /** How long a checked DNS answer is used. */
  vettingMaxAgeMs: number;
  /** Age at which a connection is not used again. */
  connectionMaxAgeMs: number;
  /** A clock that only goes forward, ms. */
  nowMs: () => number;
}

/** An exchange that runs, and what else may end it. */
interface Running {
  exchange: Exchange;
  signal: AbortSignal | null;
  /** In the list of those that run. */
  place: number;
}

/** DI token of a partial {@link OutboundLimits}; without it the defaults hold. */
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
/** For calls whose response matters: those of a model take minutes. */
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
 * It resolves the host, checks every address by number, and connects only to the checked addresses: one address that is
 * not public (and not in `WEBHOOK_ALLOWED_CIDRS`), or in `WEBHOOK_DENIED_CIDRS`, refuses the call. A checked result is
 * used for at most 5 s; a kept connection for at most 60 s, and only while its peer is among the addresses checked for
 * the call at hand. Redirects are not followed, proxies of the environment not used, answers not decompressed; time and
 * bytes are bounded; TLS is always verified.
 */
@Injectable()
export class OutboundClient implements OnApplicationShutdown {
  /** The same few URLs repeat. */
  readonly #targets = new LRUCache({ max: MAX_TARGETS, memoMethod: (url: string) => readTarget(url) });
  readonly #hosts: VettedHosts;
  readonly #pool: ConnectionPool;
  readonly #tools: ExchangeTools;
  /**
   * In any order. Not a `Set`: one whose members come and go leaves its old tables behind, and V8 keeps what was in them, with
   * bodies and answers, until it collects the whole heap.
   */
  readonly #running: Running[] = [];
  /** What may end exchanges, with one listener for all of them. */
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
   * Sends one request and reads the response. All failures of the network and the peer are in the result.
   * @throws Error when a database transaction is open, the client is closed, or `timeoutMs` is out of bounds: mistakes
   * of the caller's code
   */
  request(request: OutboundRequest): Promise<OutboundResult> {
    return this.#exchange(request, MAX_TIMEOUT_MS, EXCERPT);
  }

  /**
   * As {@link request}, for services whose answer is the point: `bodyExcerpt` is the whole body, up to `maxAnswerBytes` (at
   * most 4 MiB; `bodyTruncated` when it is longer), and `timeoutMs` goes up to 600,000. The guard is the same.
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
    return await this.#run({ target, method, headers, body, timeoutMs, idempotent, bodyBounds }, signal);
  }

  /**
   * Ends the client: no new request, idle connections closed, running exchanges given `graceMs` and then ended with
   * `aborted`.
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

  /** Called by Nest when the app stops, after the job handlers have been told to. */
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
        // After the connection has been given back, so that closing finds it.
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

/** Names and values in turn, or null when one of them belongs to the connection. */
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
