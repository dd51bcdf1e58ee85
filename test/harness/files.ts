import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { Answer, Client } from './client.js';

export const FILES = '/api/v1/documents/files';
const BOUNDARY = 'platform-test-boundary';

/** A form with these parts, and a file at the end. */
export function formOf(parts: Record<string, string>, bytes: Buffer, fileName = 'file.bin'): Buffer {
  const fields = Object.entries(parts).map(
    ([name, value]) => `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const file = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="${fileName}"\r\ncontent-type: text/plain\r\n\r\n`;
  return Buffer.concat([Buffer.from(fields.join('') + file), bytes, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]);
}

export const FORM_TYPE = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };

export interface FileBody {
  id: string;
  name: string;
  status: string;
  version: number;
  [member: string]: unknown;
}

/** Uploads a file in a form. */
export function upload(
  api: Client,
  bytes: Buffer | string,
  parts: Record<string, string> = {},
  { path = FILES, fileName, headers = {} }: { path?: string; fileName?: string; headers?: Record<string, string> } = {},
): Promise<Answer<FileBody>> {
  return api.send<FileBody>('POST', path, formOf(parts, Buffer.from(bytes), fileName), { ...FORM_TYPE, ...headers });
}

/** Uploads a file; returns the body of an attachment. */
export async function toAttach(
  api: Client,
  name = 'offer.pdf',
  bytes = `Bytes of ${name}`,
): Promise<{ fileId: string }> {
  const made = await upload(api, bytes, { name });
  if (made.status !== 201) throw new Error(made.text);
  return { fileId: made.body.id };
}

/** A server that speaks the command INSTREAM of clamd, on the loopback interface. */
export class Clamd {
  /** Sizes of the files that it was given. */
  readonly scanned: number[] = [];
  /** Whether it closes every connection. */
  isDown = false;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Clamd> {
    const server = createServer();
    const made = new Clamd(server);
    server.on('connection', (socket) => {
      if (made.isDown) return void socket.destroy();
      let input = Buffer.alloc(0);
      const file: Buffer[] = [];
      socket
        .on('error', () => undefined)
        .on('data', (chunk: Buffer) => {
          input = Buffer.concat([input, chunk]);
          if (input.length < 10) return;
          let at = 10; // after zINSTREAM and its end
          file.length = 0;
          while (input.length >= at + 4) {
            const size = input.readUInt32BE(at);
            if (size === 0) {
              const bytes = Buffer.concat(file);
              made.scanned.push(bytes.length);
              return void socket.end(bytes.includes('EICAR') ? 'stream: Eicar-Test FOUND\0' : 'stream: OK\0');
            }
            if (input.length < at + 4 + size) return;
            file.push(input.subarray(at + 4, at + 4 + size));
            at += 4 + size;
          }
        });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return made;
  }

  /** Value of `CLAMD_URL`. */
  get url(): string {
    return `tcp://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}
