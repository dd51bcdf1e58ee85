import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { until } from '#libs/testing/until.js';

/** A received mail. */
export interface CaughtMail {
  to: string[];
  /** Headers by lower-case name. */
  headers: Record<string, string>;
  text: string;
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
  /** Refuses recipients with this status from now on, e.g. 450 or 550; null accepts them again. */
  refuse(code: number | null): void;
  close(): Promise<void>;
}

/** Starts a catcher, by default without TLS and without authentication. */
export async function startSmtp(options: SMTPServerOptions = {}, port = 0): Promise<SmtpCatcher> {
  const mails: CaughtMail[] = [];
  let refusal: number | null = null;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: options.authOptional === false ? ['STARTTLS'] : ['STARTTLS', 'AUTH'],
    logger: false,
    ...options,
    onRcptTo: (_address, _session, done) =>
      done(refusal === null ? null : Object.assign(new Error('not now'), { responseCode: refusal })),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        mails.push({ to, secure: session.secure, ...parse(Buffer.concat(chunks).toString()) });
        done();
      });
    },
  });
  server.on('error', () => undefined); // a disconnecting client must not fail a test
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
  const { port: taken } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${taken}`,
    port: taken,
    mails,
    mailTo: (address) => until(() => mails.findLast(({ to }) => to.includes(address))),
    refuse: (code) => (refusal = code),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Headers and text of a message, whose text may be quoted-printable or base64. */
function parse(raw: string): { headers: Record<string, string>; text: string } {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { headers, text: decode(raw.slice(end + 4), headers['content-transfer-encoding'] ?? '7bit') };
}

function decode(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  if (encoding !== 'quoted-printable') return body;
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
