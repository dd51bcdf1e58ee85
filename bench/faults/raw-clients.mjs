// Misbehaving clients on raw connections, many at a time.
import { once } from 'node:events';
import { connect } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const CONNECTING = 200;

/** The raw GET request of a tenant. */
export function getText({ url }, { apiKey }, path) {
  return `GET ${path} HTTP/1.1\r\nhost: ${new URL(url).host}\r\nx-api-key: ${apiKey}\r\n\r\n`;
}

/** One connection. `ended` is set when the server has closed it, and `endedMs` is the time. */
export class RawClient {
  /** Start of the current time limit: the time of connecting or of the last request. */
  sinceMs = performance.now();
  endedMs = Infinity;
  /** Statuses of the responses so far; 503 without `Retry-After` is recorded as 0. */
  statuses = [];
  ended = false;
  #socket;
  #left = Buffer.alloc(0);
  #skip = 0;
  #onAnswer = () => undefined;

  static async open({ url }) {
    const client = new RawClient();
    const { hostname, port } = new URL(url);
    client.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
    client.#socket.on('error', () => undefined); // reported by `ended`
    client.#socket.on('close', () => {
      client.ended = true;
      client.endedMs = performance.now();
      client.#onAnswer();
    });
    await once(client.#socket, 'connect');
    client.#socket.on('data', (bytes) => client.#read(bytes));
    return client;
  }

  /** Opens many in batches; each runs `begin` immediately, because silent connections are soon closed. */
  static async openMany(api, count, begin = () => undefined) {
    const clients = [];
    const openOne = async () => {
      const client = await this.open(api);
      await begin(client);
      return client;
    };
    while (clients.length < count)
      clients.push(
        ...(await Promise.all(Array.from({ length: Math.min(CONNECTING, count - clients.length) }, openOne))),
      );
    return clients;
  }

  write(text) {
    if (!this.ended) this.#socket.write(text);
  }

  /** Stops reading. */
  stall() {
    this.#socket.pause();
  }

  /** Sends a request and waits for its response; returns the status, or null when the connection was closed. */
  async ask(text) {
    const before = this.statuses.length;
    this.sinceMs = performance.now();
    const answered = new Promise((resolve) => (this.#onAnswer = resolve));
    this.write(text);
    await (this.ended || answered);
    return this.statuses[before] ?? null;
  }

  close() {
    this.#socket.destroy();
  }

  #read(bytes) {
    const skipped = Math.min(this.#skip, bytes.length);
    this.#skip -= skipped;
    const rest = bytes.subarray(skipped);
    this.#left = this.#left.length > 0 ? Buffer.concat([this.#left, rest]) : rest;
    for (let end = this.#left.indexOf(HEAD_END); end >= 0; end = this.#left.indexOf(HEAD_END)) {
      const head = this.#left.toString('latin1', 0, end).toLowerCase();
      const status = Number(head.slice(9, 12));
      this.statuses.push(status === 503 && !head.includes('retry-after: ') ? 0 : status);
      const next = end + HEAD_END.length + Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0);
      this.#skip = Math.max(next - this.#left.length, 0);
      this.#left = this.#left.subarray(Math.min(next, this.#left.length));
      this.#onAnswer();
    }
  }
}
