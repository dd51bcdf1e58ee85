import { connect } from 'node:net';

/** A raw response. */
export interface RawAnswer {
  status: number;
  headers: Map<string, string>;
  body: string;
}

/**
 * Sends a raw request, even one that no HTTP client would send, and reads the response until the server closes the
 * connection. `head` is the request line and the header lines; `Host` and `Connection: close` are added.
 */
export function sendRaw(url: string, head: string[], body: string | Buffer = ''): Promise<RawAnswer> {
  const { hostname, port, host } = new URL(url);
  const bytes = Buffer.from(body);
  const lengths = bytes.length > 0 ? [`Content-Length: ${bytes.length}`] : [];
  const lines = [head[0], `Host: ${host}`, 'Connection: close', ...lengths, ...head.slice(1), '', ''];
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => {
      socket.write(Buffer.concat([Buffer.from(lines.join('\r\n'), 'latin1'), bytes]));
    });
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', (error) => (chunks.length > 0 ? resolve(parse(chunks)) : reject(error)));
    socket.on('close', () => resolve(parse(chunks)));
  });
}

/**
 * Sends texts in sequence on one connection, each after a response to the previous one; returns everything received.
 */
export function sendInTurn(url: string, texts: readonly string[]): Promise<RawAnswer[]> {
  const { hostname, port } = new URL(url);
  const waiting = [...texts];
  const answers: RawAnswer[] = [];
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(waiting.shift()!, 'latin1'));
    socket.on('data', (chunk: Buffer) => {
      answers.push(parse([chunk])); // small responses arrive in one chunk each
      const next = waiting.shift();
      if (next !== undefined) socket.write(next, 'latin1');
    });
    socket.on('error', (error) => (answers.length > 0 ? resolve(answers) : reject(error)));
    socket.on('close', () => resolve(answers));
  });
}

function parse(chunks: Buffer[]): RawAnswer {
  const [head = '', ...rest] = Buffer.concat(chunks).toString('latin1').split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  return { status: Number(first.split(' ')[1]), headers, body: rest.join('\r\n\r\n') };
}
