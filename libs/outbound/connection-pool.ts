import { Connection } from './connection.js';
import type { ConnectionRules } from './connection.js';
import type { ResolvedAddress } from './resolver.js';
import type { Target } from './target.js';

const MAX_IDLE = 256;

/**
 * The connections of the process. An exchange takes one exclusively and returns it. An idle one is reused only for the
 * same origin, below its maximum age, and only if its peer is among the addresses vetted for the new exchange. A host
 * whose addresses are no longer allowed, or have changed, therefore never gets a request over an old socket.
 */
export class ConnectionPool {
  /** Idle connections by origin, the last used at the end. The list of an origin can be empty. */
  readonly #idle = new Map<string, Connection[]>();
  #idleCount = 0;

  constructor(private readonly rules: ConnectionRules) {}

  /** A connection for one exchange with the target's host, reused if possible. `addresses` are vetted and not empty. */
  take(target: Target, addresses: readonly ResolvedAddress[]): Connection {
    const idle = this.#idle.get(target.origin) ?? [];
    for (let connection = idle.pop(); connection !== undefined; connection = idle.pop()) {
      this.#idleCount--;
      if (connection.servesFrom(addresses)) return connection;
      connection.destroy();
    }
    return this.open(target);
  }

  /** A new connection for one exchange; its socket is opened when the exchange is dispatched. */
  open(target: Target): Connection {
    return new Connection(target, this.rules, (closed) => this.#forget(closed));
  }

  /** Returns a connection after its exchange. */
  giveBack(connection: Connection): void {
    connection.user = null;
    if (!connection.isReusable()) {
      connection.destroy();
      return;
    }
    const { origin } = connection.target;
    const idle = this.#idle.get(origin);
    if (idle === undefined) this.#idle.set(origin, [connection]);
    else idle.push(connection);
    connection.idleSinceMs = this.rules.nowMs();
    if (++this.#idleCount > MAX_IDLE) this.#end(this.#longestIdle());
  }

  /** Closes all idle connections. */
  closeIdle(): void {
    for (const connection of [...this.#idle.values()].flat()) this.#end(connection);
  }

  /** Compares one connection per origin; rarely needed. */
  #longestIdle(): Connection {
    const candidates = [...this.#idle.values()].flatMap((idle) => idle.slice(0, 1));
    return candidates.reduce((oldest, each) => (each.idleSinceMs < oldest.idleSinceMs ? each : oldest));
  }

  #end(idle: Connection): void {
    this.#forget(idle);
    idle.destroy();
  }

  /** Removes a connection that is closed or about to be closed, idle or not. */
  #forget(connection: Connection): void {
    const { origin } = connection.target;
    const idle = this.#idle.get(origin);
    if (idle === undefined) return;
    const at = idle.indexOf(connection);
    if (at !== -1) {
      idle.splice(at, 1);
      this.#idleCount--;
    }
    if (idle.length === 0) this.#idle.delete(origin);
  }
}
