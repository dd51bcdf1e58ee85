// A webhook receiver that records every request.
import { once } from 'node:events';
import { createServer } from 'node:http';

/** Listens on the loopback interface. */
export class Receiver {
  /**
   * Every request in order: ids from its headers, time of arrival, whether it was complete, time of its response (or
   * null), whether the sender disconnected before.
   */
  requests = [];
  /** Received events by `webhook-id`: time of the first (ms since the epoch), and count. */
  arrivals = new Map();
  #server;
  #reply;

  /** @param reply ms until the response to a request, or null for never */
  static async start(reply = () => 0) {
    const receiver = new Receiver();
    receiver.#reply = reply;
    receiver.#server = createServer((request, response) => receiver.#receive(request, response));
    receiver.#server.listen(0, '127.0.0.1');
    await once(receiver.#server, 'listening');
    return receiver;
  }

  get url() {
    return `http://127.0.0.1:${this.#server.address().port}/hooks`;
  }

  /** Pending requests. */
  get open() {
    return this.requests.filter(({ answeredMs, left }) => answeredMs === null && !left).length;
  }

  async close() {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #receive(request, response) {
    const record = {
      id: request.headers['webhook-id'],
      deliveryId: request.headers['x-service-delivery'],
      attempt: Number(request.headers['x-service-attempt']),
      atMs: Date.now(),
      whole: false,
      answeredMs: null,
      left: false,
    };
    this.requests.push(record);
    let bytes = 0;
    request.on('data', (chunk) => (bytes += chunk.length));
    request.on('end', () => {
      record.whole = bytes === Number(request.headers['content-length']);
      this.#arrived(record);
      const delayMs = this.#reply(record);
      if (delayMs !== null) setTimeout(() => response.writeHead(204).end(), delayMs);
    });
    response.on('finish', () => (record.answeredMs = Date.now()));
    response.on('close', () => (record.left = record.answeredMs === null));
  }

  #arrived({ id, atMs }) {
    const seen = this.arrivals.get(id);
    if (seen) seen.count += 1;
    else this.arrivals.set(id, { atMs, count: 1 });
  }
}
