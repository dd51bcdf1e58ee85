import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A service with the interface of S3 on the loopback interface, as far as the platform needs it. */
export class ObjectStore {
  /** Objects by `bucket/key`. */
  readonly objects = new Map<string, Buffer>();
  /** Status that it answers everything with; null if it works. */
  fault: number | null = null;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<ObjectStore> {
    const server = createServer();
    const made = new ObjectStore(server);
    server.on('request', (request, response) => void made.answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return made;
  }

  /** Value of `FILES_URL`. */
  get filesUrl(): string {
    const { port } = this.server.address() as AddressInfo;
    return `s3://files?region=eu-test-1&endpoint=${encodeURIComponent(`http://127.0.0.1:${port}`)}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const key = request.url!.split('?')[0]!.slice(1);
    const isSigned = request.headers.authorization?.startsWith('AWS4-HMAC-SHA256 Credential=test-key/');
    if (this.fault !== null || !isSigned) return void response.writeHead(this.fault ?? 403).end();
    const found = this.objects.get(key);
    if (request.method === 'PUT') {
      const sum = createHash('sha256').update(body).digest('base64');
      if (request.headers['x-amz-checksum-sha256'] !== sum) return void response.writeHead(400).end();
      this.objects.set(key, body);
      return void response.writeHead(200).end();
    }
    if (request.method === 'DELETE') {
      this.objects.delete(key);
      return void response.writeHead(204).end();
    }
    if (!found)
      return void response
        .writeHead(404, { 'content-type': 'application/xml' })
        .end('<Error><Code>NoSuchKey</Code></Error>');
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    if (first === undefined) return void response.writeHead(200, { 'content-length': found.length }).end(found);
    const range = found.subarray(Number(first), Number(last) + 1);
    response.writeHead(206, {
      'content-length': range.length,
      'content-range': `bytes ${first}-${last}/${found.length}`,
    });
    response.end(range);
  }
}
