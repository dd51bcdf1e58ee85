import type { Dispatcher } from 'undici';
import type { Connection, ConnectionUser } from './connection.js';
import type { ConnectionPool } from './connection-pool.js';
import { isResolved } from './host-vetting.js';
import type { Vetting } from './host-vetting.js';
import type { ResolvedAddress } from './resolver.js';
import type { VettedHosts } from './vetted-hosts.js';
import { OutboundFailure, exchangeFailure } from './outbound-result.js';
import type { OutboundError, OutboundResult, OutboundTimings } from './outbound-result.js';
import { type BodyBounds, ResponseExcerpt, keptHeaders } from './response-excerpt.js';
import type { Target } from './target.js';

/** A request whose form has been checked. */
export interface PreparedRequest {
  target: Target;
  method: Dispatcher.HttpMethod;
  /** Names and values alternate. */
  headers: string[];
  body: Buffer | string | null;
  timeoutMs: number;
  /** Whether it may be sent twice. */
  idempotent: boolean;
  /** How much of the response is read and kept. */
  bodyBounds: BodyBounds;
}

/** Dependencies of an exchange. */
export interface ExchangeTools {
  hosts: VettedHosts;
  pool: ConnectionPool;
  nowMs: () => number;
}

/** Bytes that a response may have in addition to its body: headers and chunk framing. */
const MAX_FRAMING_BYTES = 192 * 1024;

/** One request and its response, from the check of the host to the result. It settles exactly once. */
export class Exchange implements Dispatcher.DispatchHandler, ConnectionUser {
  readonly #startedAtMs: number;
  readonly #excerpt: ResponseExcerpt;
  readonly #timings: OutboundTimings = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 0 };
  #timer: NodeJS.Timeout | null = null;
  #addresses: readonly ResolvedAddress[] = [];
  #connection: Connection | null = null;
  #sentAgain = false;
  #httpStatus: number | null = null;
  #responseHeaders: Record<string, string> = {};
  #settled = false;

  constructor(
    private readonly request: PreparedRequest,
    private readonly tools: ExchangeTools,
    private readonly settle: (result: OutboundResult) => void,
  ) {
    this.#startedAtMs = tools.nowMs();
    this.#excerpt = new ResponseExcerpt(request.bodyBounds);
  }

  /** Starts the exchange. Called once. */
  start(): void {
    const { target, timeoutMs } = this.request;
    if (target.faults.length > 0) return this.#finish('blocked_url');
    this.#timer = setTimeout(this.#onTimeout, timeoutMs);
    const known = this.tools.hosts.recall(target.host);
    if (known !== null) return this.#send(known);
    this.tools.hosts
      .vet(target.host)
      .then((vetting) => {
        if (this.#settled) return;
        if (isResolved(target.host)) this.#timings.dnsMs = this.#elapsedMs();
        this.#send(vetting);
      })
      // No known error is thrown above; if one is, nothing has been sent.
      .catch(() => this.#finish('invalid_request'));
  }

  /** Aborts the exchange, with `aborted`. */
  abort(): void {
    this.#finish('aborted');
  }

  readonly #onTimeout = (): void => this.#finish('timeout');

  #send(vetting: Vetting): void {
    const { target } = this.request;
    if (vetting.outcome === 'blocked' || vetting.outcome === 'denied') return this.#finish('blocked_address');
    if (vetting.outcome !== 'vetted')
      return this.#finish('dns_failure', vetting.outcome === 'not_found' ? 'HOST_NOT_FOUND' : 'DNS_UNAVAILABLE');
    if (target.privateOnly.length > 0 && !vetting.inside) return this.#finish('blocked_url');
    this.#addresses = vetting.addresses;
    this.#dispatch(this.tools.pool.take(target, vetting.addresses));
  }

  #dispatch(connection: Connection): void {
    const { target, method, headers, body, bodyBounds } = this.request;
    this.#connection = connection;
    connection.use(this.#addresses, bodyBounds.readBytes + MAX_FRAMING_BYTES, this);
    connection.client.dispatch({ method, path: target.path, headers, body, idempotent: false }, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The exchange timed out before the connection was established: nothing must be sent.
    if (this.#settled) controller.abort(new OutboundFailure('aborted'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (this.#settled || statusCode < 200) return;
    this.#timings.firstByteMs = this.#elapsedMs();
    this.#httpStatus = statusCode;
    this.#responseHeaders = keptHeaders(headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#settled && !this.#excerpt.add(chunk)) this.#finish(null, null, false);
  }

  onResponseEnd(): void {
    this.#finish(null, null, true);
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    if (this.#settled) return;
    const failure = exchangeFailure(error);
    if (failure.error === 'connection_reset' && this.#maySendAgain()) {
      this.#sentAgain = true;
      const ended = this.#connection;
      queueMicrotask(() => ended?.destroy());
      return this.#dispatch(this.tools.pool.open(this.request.target));
    }
    this.#finish(failure.error, failure.detail);
  }

  /** A receiver may close a kept connection just when it is reused, which is not a response. */
  #maySendAgain(): boolean {
    const { facts } = this.#connection ?? {};
    const wasKept = facts !== null && facts !== undefined && facts.openedAtMs < this.#startedAtMs;
    return this.request.idempotent && wasKept && this.#httpStatus === null && !this.#sentAgain;
  }

  /** More bytes than any body needs: endless chunk framing or interim responses. */
  onFlood(): void {
    if (this.#httpStatus === null) this.#finish('protocol_error');
    else this.#finish(null, null, false);
  }

  #elapsedMs(): number {
    return Math.round(this.tools.nowMs() - this.#startedAtMs);
  }

  #finish(error: OutboundError | null, errorDetail: string | null = null, connectionIsClean = false): void {
    if (this.#settled) return;
    this.#settled = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const connection = this.#connection;
    const facts = connection?.facts ?? null;
    if (facts !== null && facts.openedAtMs >= this.#startedAtMs) {
      this.#timings.connectMs = Math.round(facts.connectMs);
      this.#timings.tlsMs = facts.tlsMs === null ? null : Math.round(facts.tlsMs);
    }
    this.#timings.totalMs = this.#elapsedMs();
    const httpStatus = this.#httpStatus;
    const { text, truncated } = this.#excerpt.read();
    this.settle({
      ok: error === null && httpStatus !== null && httpStatus >= 200 && httpStatus < 300,
      httpStatus,
      error,
      errorDetail,
      timings: this.#timings,
      responseHeaders: this.#responseHeaders,
      bodyExcerpt: text,
      bodyTruncated: truncated || (httpStatus !== null && !connectionIsClean),
      remoteAddress: facts?.remoteAddress ?? null,
    });
    if (connection === null) return;
    // Not inside the parser's callback, because the parser accesses its socket again afterwards.
    queueMicrotask(() => (connectionIsClean ? this.tools.pool.giveBack(connection) : connection.destroy()));
  }
}
