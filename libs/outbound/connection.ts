import { isIP, connect as connectTcp } from 'node:net';
import type { LookupFunction, Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { TLSSocket } from 'node:tls';
import { Client } from 'undici';
import { canonicalAddress, isAllowed, type OperatorNetworks } from './address.js';
import { InterimAnswers } from './interim-answers.js';
import { OutboundFailure, connectFailure } from './outbound-result.js';
import type { ResolvedAddress } from './resolver.js';
import type { Target } from './target.js';

/** Rules of a connection; the defaults of the client are in `outbound-client.ts`. */
export interface ConnectionRules extends OperatorNetworks {
  /** TCP and TLS together. */
  connectTimeoutMs: number;
  /** Age at which a connection is no longer reused. */
  maxAgeMs: number;
  /** A monotonic clock, ms. */
  nowMs: () => number;
}

/** Facts about the socket of a connection. */
export interface SocketFacts {
  openedAtMs: number;
  connectMs: number;
  /** Null without TLS, and until the TLS session is established. */
  tlsMs: number | null;
  /** Null if the peer disconnected before it could be read. */
  remoteAddress: string | null;
}

/** The exchange that owns a connection. */
export interface ConnectionUser {
  /** The peer has sent more than allowed. */
  onFlood(): void;
}

const IDLE_MS = 4_000;
const MAX_IDLE_MS = 15_000;
const ATTEMPT_TIMEOUT_MS = 1_000;
const MAX_HEAD_BYTES = 16 * 1024;

/**
 * One connection to one host: an undici client over a socket that can only be opened to a vetted address.
 *
 * The host's name is used for the certificate, SNI and the `Host` header, but never resolved here: the addresses come
 * with {@link Connection.use}. TLS is always verified, whatever `NODE_TLS_REJECT_UNAUTHORIZED` says, and proxy
 * environment variables are ignored. HTTP/1.1 only, because one exchange is then one socket and ends with it.
 */
export class Connection {
  readonly client: Client;
  /** Null until the socket is connected. */
  facts: SocketFacts | null = null;
  /** When it became idle, by the clock of the rules. While it is in use, the previous such time. */
  idleSinceMs = 0;
  /** The exchange that uses it. */
  user: ConnectionUser | null = null;
  #addresses: readonly ResolvedAddress[] = [];
  #socket: Socket | null = null;
  #interim: InterimAnswers | null = null;
  #maxReadBytes = 0;
  #readLimit = 0;

  constructor(
    readonly target: Target,
    private readonly rules: ConnectionRules,
    onClosed: (connection: Connection) => void,
  ) {
    this.client = new Client(target.origin, {
      connect: (_target, callback) => {
        this.#open().then(
          (socket) => callback(null, socket),
          (error: unknown) => callback(error as Error, null),
        );
      },
      allowH2: false,
      pipelining: 1,
      // Our timer limits the whole exchange.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: MAX_IDLE_MS,
      maxHeaderSize: MAX_HEAD_BYTES,
    });
    this.client.on('disconnect', () => onClosed(this));
  }

  /**
   * Assigns the connection to one exchange, with the addresses vetted for it. `maxReadBytes` limits everything that it
   * may receive.
   */
  use(addresses: readonly ResolvedAddress[], maxReadBytes: number, user: ConnectionUser): void {
    this.#addresses = addresses;
    this.user = user;
    this.#maxReadBytes = maxReadBytes;
    this.#readLimit = (this.#socket?.bytesRead ?? 0) + maxReadBytes;
    this.#interim?.expect();
  }

  /**
   * Whether an exchange may use the open socket: it is below its maximum age, and its peer is one of the addresses that
   * were vetted for this exchange.
   */
  servesFrom(addresses: readonly ResolvedAddress[]): boolean {
    const { facts } = this;
    return this.isReusable() && addresses.some(({ address }) => address === facts?.remoteAddress);
  }

  /** Whether the socket is open and below the maximum age for another exchange. */
  isReusable(): boolean {
    if (this.facts === null || this.#socket === null || this.#socket.destroyed || this.client.destroyed) return false;
    return this.rules.nowMs() - this.facts.openedAtMs < this.rules.maxAgeMs;
  }

  /** Closes the connection at once, even while it is being established. */
  destroy(): void {
    this.user = null;
    this.#socket?.destroy();
    // Destroying a client twice raises an error, which can be ignored.
    this.client.destroy().catch(() => undefined);
  }

  async #open(): Promise<Socket> {
    const { rules } = this;
    const addresses = this.#addresses;
    // The last check, by numeric value, of exactly the addresses that the socket gets.
    if (addresses.length === 0 || !addresses.every(({ address }) => isAllowed(address, rules)))
      throw new OutboundFailure('blocked_address');
    const startedAtMs = rules.nowMs();
    const socket = await this.#connect(addresses, startedAtMs);
    this.#readLimit = socket.bytesRead + this.#maxReadBytes;
    this.#interim = new InterimAnswers(socket, MAX_HEAD_BYTES);
    socket.on('readable', () => {
      if (socket.bytesRead > this.#readLimit) this.user?.onFlood();
    });
    return socket;
  }

  #connect(addresses: readonly ResolvedAddress[], startedAtMs: number): Promise<Socket> {
    const { rules } = this;
    const { host, url } = this.target;
    const secure = url.protocol === 'https:';
    const options = {
      host,
      port: Number(url.port || (secure ? 443 : 80)),
      lookup: pinned(addresses),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: ATTEMPT_TIMEOUT_MS,
      noDelay: true,
    };
    return new Promise((resolve, reject) => {
      const socket: Socket | TLSSocket = secure
        ? connectTls({
            ...options,
            ...(isIP(host) === 0 ? { servername: host } : {}),
            ALPNProtocols: ['http/1.1'],
            rejectUnauthorized: true,
          })
        : connectTcp(options);
      this.#socket = socket;
      this.facts = null;
      const timer = setTimeout(
        () => socket.destroy(new OutboundFailure(this.facts === null ? 'connect_timeout' : 'tls_error', 'ETIMEDOUT')),
        rules.connectTimeoutMs,
      );
      const fail = (error: unknown) => {
        clearTimeout(timer);
        reject(connectFailure(error, this.facts !== null));
      };
      socket.once('connect', () => {
        const openedAtMs = rules.nowMs();
        const peer = socket.remoteAddress;
        this.facts = {
          openedAtMs,
          connectMs: openedAtMs - startedAtMs,
          tlsMs: null,
          remoteAddress: peer === undefined ? null : canonicalAddress(peer),
        };
      });
      socket.once('error', fail);
      socket.once('close', () => fail(new OutboundFailure('aborted')));
      socket.once(secure ? 'secureConnect' : 'connect', () => {
        clearTimeout(timer);
        if (secure && this.facts !== null) this.facts.tlsMs = rules.nowMs() - this.facts.openedAtMs;
        resolve(socket);
      });
    });
  }
}

/** A lookup that always returns the vetted addresses. It is not called for IP literals. */
function pinned(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const first = addresses[0];
    if (options.all) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
}
