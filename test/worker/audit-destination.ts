import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface DestinationRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** What the server does with a request: a status, a reset before the response, or a status after a delay. */
export type Fault = number | 'reset' | { status: number; afterMs: number };

/** An HTTPS receiver, a Splunk HTTP Event Collector and an S3 service on the loopback interface. */
export class AuditDestination {
  /** Requests that were answered with 200. */
  readonly accepted: DestinationRequest[] = [];
  readonly refused: DestinationRequest[] = [];
  /** Objects by path. */
  readonly objects = new Map<string, string>();
  /** Decides about each request; by default every request is accepted. */
  next: (request: DestinationRequest) => Fault = () => 200;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<AuditDestination> {
    const server = createServer();
    const made = new AuditDestination(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        const received = { method, path: url, headers, body: Buffer.concat(chunks).toString() };
        const fault = made.next(received);
        if (fault === 'reset') return void request.socket.destroy();
        const { status, afterMs } = typeof fault === 'number' ? { status: fault, afterMs: 0 } : fault;
        setTimeout(() => {
          (status === 200 ? made.accepted : made.refused).push(received);
          if (status === 200 && method === 'PUT') made.objects.set(url.split('?')[0]!, received.body);
          response.writeHead(status).end(status === 200 ? '' : 'refused');
        }, afterMs);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return made;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Numbers of the entries in the accepted requests, in the order of their arrival. */
  get seqs(): number[] {
    return this.accepted.flatMap(({ body }) => entriesIn(body).map(({ seq }) => seq));
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

export interface StreamedEntry {
  seq: number;
  id: string;
  canonical: string;
  leafHash: string;
}

/** Entries of a body: one per line, for Splunk below `event`. */
export function entriesIn(body: string): StreamedEntry[] {
  return body
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as StreamedEntry & { event?: StreamedEntry })
    .map((item) => item.event ?? item);
}
