import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A received request. */
export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  event: { id: string; type: string; sequence: string; data: Record<string, unknown> };
}

/** The response of a receiver; a function decides per request, and may leave the request open. */
export type Reply = { status: number; headers?: Record<string, string>; body?: string };
type Answer = Reply | ((received: Received, response: ServerResponse) => Reply | 'open');

/** A webhook receiver on the loopback interface. */
export class Receiver {
  readonly received: Received[] = [];
  /** Sets the response for later requests. */
  answer: Answer = { status: 200, body: 'thanks' };

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<Receiver> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const receiver = new Receiver(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        const event = JSON.parse(body) as Received['event'];
        const received = { path: request.url ?? '', headers: request.headers, body, event };
        receiver.received.push(received);
        const reply = typeof receiver.answer === 'function' ? receiver.answer(received, response) : receiver.answer;
        if (reply !== 'open') response.writeHead(reply.status, reply.headers).end(reply.body);
      });
    });
    return receiver;
  }

  /** Leaves requests open; the returned function completes all that have arrived. */
  holdUp(): () => void {
    const waiting: ServerResponse[] = [];
    this.answer = (_received, response) => {
      waiting.push(response);
      return 'open';
    };
    return () => {
      this.answer = { status: 200 };
      for (const response of waiting) response.writeHead(200).end();
    };
  }

  /** Requests received for one event type, in order. */
  ofType(type: string): Received[] {
    return this.received.filter(({ event }) => event.type === type);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
