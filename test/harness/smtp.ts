import type { AddressInfo, Socket } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { until } from '#libs/testing/until.js';

/** A part of a mail, decoded. */
export interface MailPart {
  headers: Record<string, string>;
  /** Media type with its parameters. */
  type: string;
  content: Buffer;
}

/** A step of the exchange: the recipient is named, or the end of the mail has arrived. */
export type SmtpStep = 'recipient' | 'end';

/** A received mail. */
export interface CaughtMail {
  to: string[];
  /** Headers by lower-case name. */
  headers: Record<string, string>;
  /** The part of plain text. */
  text: string;
  /** All parts that are not made of parts, in their order. */
  parts: MailPart[];
  /** Whether it came over TLS. */
  secure: boolean;
}

/** A local SMTP server that stores received mails. */
export interface SmtpCatcher {
  url: string;
  port: number;
  readonly mails: CaughtMail[];
  /** Waits for a mail to an address and returns the newest. */
  mailTo(address: string): Promise<CaughtMail>;
  /** Refuses at a step with this status from now on, e.g. 450 or 550; null accepts again. */
  refuse(code: number | null, at?: SmtpStep): void;
  /** Answers nothing at a step from now on; null answers again, also what has been ignored. */
  ignore(at: SmtpStep | null): void;
  /** Number of connections that wait for an answer. */
  readonly ignored: number;
  /** Ends all connections. */
  disconnect(): void;
  close(): Promise<void>;
}

/** Starts a catcher, by default without TLS and without authentication. */
export async function startSmtp(options: SMTPServerOptions = {}, port = 0): Promise<SmtpCatcher> {
  const mails: CaughtMail[] = [];
  const refusals: Partial<Record<SmtpStep, number | null>> = {};
  let silentAt: SmtpStep | null = null;
  const ignored: (() => void)[] = [];
  const answer = (step: SmtpStep, done: (error?: Error | null) => void) => {
    if (silentAt === step) return void ignored.push(() => answer(step, done));
    const responseCode = refusals[step] ?? null;
    done(responseCode === null ? null : Object.assign(new Error('not now'), { responseCode }));
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: options.authOptional === false ? ['STARTTLS'] : ['STARTTLS', 'AUTH'],
    logger: false,
    ...options,
    onRcptTo: (_address, _session, done) => answer('recipient', done),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        if (typeof refusals.end !== 'number')
          mails.push({ to, secure: session.secure, ...parse(Buffer.concat(chunks)) });
        answer('end', done);
      });
    },
  });
  const sockets = new Set<Socket>();
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('error', () => undefined); // a disconnecting client must not fail a test
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
  const { port: taken } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${taken}`,
    port: taken,
    mails,
    mailTo: (address) => until(() => mails.findLast(({ to }) => to.includes(address))),
    refuse: (code, at = 'recipient') => (refusals[at] = code),
    ignore: (at) => {
      silentAt = at;
      if (at === null) for (const now of ignored.splice(0)) now();
    },
    get ignored() {
      return ignored.length;
    },
    disconnect: () => {
      ignored.length = 0;
      for (const socket of sockets) socket.destroy();
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Headers and parts of a message. */
function parse(raw: Buffer): Pick<CaughtMail, 'headers' | 'text' | 'parts'> {
  const { headers, parts } = partsOf(raw.toString('latin1'));
  const plain = parts.find(({ type }) => type.startsWith('text/plain'));
  return { headers, parts, text: plain?.content.toString().replaceAll('\r\n', '\n') ?? '' };
}

/** @param raw a character for each byte */
function partsOf(raw: string): { headers: Record<string, string>; parts: MailPart[] } {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const type = headers['content-type'] ?? 'text/plain';
  const [, boundary] = /^multipart\/.*boundary="([^"]+)"/s.exec(type) ?? [];
  const body = raw.slice(end + 4);
  if (boundary === undefined)
    return {
      headers,
      parts: [{ headers, type, content: decode(body, headers['content-transfer-encoding'] ?? '7bit') }],
    };
  const pieces = body.split(new RegExp(`(?:^|\\r\\n)--${boundary}(?:--)?(?:\\r\\n|$)`)).slice(1, -1);
  return { headers, parts: pieces.flatMap((piece) => partsOf(piece).parts) };
}

function decode(body: string, encoding: string): Buffer {
  if (encoding === 'base64') return Buffer.from(body, 'base64');
  if (encoding !== 'quoted-printable') return Buffer.from(body, 'latin1');
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1');
}
