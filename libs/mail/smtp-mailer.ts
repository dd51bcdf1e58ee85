import { Readable } from 'node:stream';
import { createTransport } from 'nodemailer';
import { isLocal } from '#libs/config/people-settings.js';
import { assertNoOpenTransaction } from '#libs/outbound/transaction-probe.js';
import {
  type Mail,
  MailBounced,
  Mailer,
  type MailOutcome,
  MailRefused,
  MailUnconfirmed,
  MailWithdrawn,
} from './mailer.js';

const STEP_TIMEOUT_MS = 10_000;
/** Limits the whole exchange, even with a server that responds one byte at a time. */
const SEND_TIMEOUT_MS = 60_000;
/** What could be taken for a part of a command. */
const NO_ADDRESS = /[\p{Cc}<>]/u;

/** An error from nodemailer. */
interface SmtpError {
  code?: string;
  command?: string;
  responseCode?: number;
}

/**
 * Sends mail through one SMTP server, with one connection per mail. Requires TLS 1.2 or newer with a certificate that
 * is valid for the host: from the first byte with `smtps:`, through STARTTLS with `smtp:`, before anything is sent,
 * including the password. Only a server on this machine may omit TLS.
 *
 * A server has accepted a mail only when it has received its end, so the end is held back until the platform has noted
 * that it follows. What fails before that can be repeated.
 */
export class SmtpMailer extends Mailer {
  private readonly options;
  private readonly domain: string;

  /** @param from in the format of the setting MAIL_FROM. */
  constructor(
    smtpUrl: string,
    private readonly from: string,
  ) {
    super();
    const url = new URL(smtpUrl);
    const secure = url.protocol === 'smtps:';
    const user = decodeURIComponent(url.username);
    this.domain = /@([^<>@\s]+)>?$/.exec(from)![1]!;
    this.options = {
      host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
      secure,
      requireTLS: !secure && !isLocal(url),
      tls: { minVersion: 'TLSv1.2' as const },
      ...(user === '' ? {} : { auth: { user, pass: decodeURIComponent(url.password) } }),
      dnsTimeout: STEP_TIMEOUT_MS,
      connectionTimeout: STEP_TIMEOUT_MS,
      greetingTimeout: STEP_TIMEOUT_MS,
      socketTimeout: STEP_TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    };
  }

  async send(mail: Mail, handOver: () => Promise<void>): Promise<MailOutcome> {
    assertNoOpenTransaction();
    if (NO_ADDRESS.test(mail.to)) throw new MailRefused('The address cannot be sent');
    const handing = new HandingOver(handOver);
    const transport = createTransport(this.options);
    transport.use('stream', (compiled, done) => {
      compiled.message.processFunc((message) => handing.holdBack(message));
      done();
    });
    try {
      await transport.sendMail({ ...this.messageOf(mail), signal: AbortSignal.timeout(SEND_TIMEOUT_MS) });
      return 'sent';
    } catch (error) {
      const isHandedOver = await handing.fail();
      if (handing.refusal) throw handing.refusal;
      throw failureOf(error as SmtpError, isHandedOver);
    }
  }

  private messageOf({ id, to, subject, text, html, replyTo, unsubscribeUrl, attachments, calendar }: Mail) {
    return {
      from: this.from,
      to: { name: '', address: to },
      subject,
      text,
      html,
      messageId: `<${id}@${this.domain}>`,
      ...(replyTo === undefined ? {} : { replyTo: { name: '', address: replyTo } }),
      ...(calendar === undefined ? {} : { icalEvent: { ...calendar, filename: 'invitation.ics' } }),
      attachments: attachments.map(({ name: filename, contentType, content }) => ({ filename, contentType, content })),
      headers: {
        'Auto-Submitted': 'auto-generated',
        ...(unsubscribeUrl === undefined
          ? {}
          : { 'List-Unsubscribe': `<${unsubscribeUrl}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
      },
    };
  }
}

/** Notes that a mail is handed over, while its end is held back. */
class HandingOver {
  /** Why the mail was not handed over. */
  refusal: Error | null = null;
  private noting: Promise<void> | null = null;
  private isNoted = false;
  private hasFailed = false;

  constructor(private readonly handOver: () => Promise<void>) {}

  /** A mail whose end follows once that is noted. It is read when the server is ready for it, and not before. */
  holdBack(mail: Readable): Readable {
    const hold = async function* (this: HandingOver) {
      yield* mail as AsyncIterable<Buffer>; // a stream of bytes
      this.noting = this.note();
      await this.noting;
      if (this.refusal) throw this.refusal;
    };
    return Readable.from(hold.call(this));
  }

  /** The exchange has failed. @returns whether the end may have reached the server. */
  async fail(): Promise<boolean> {
    this.hasFailed = true;
    const { isNoted } = this;
    await this.noting;
    return isNoted;
  }

  private async note(): Promise<void> {
    try {
      await this.handOver();
      this.isNoted = !this.hasFailed;
    } catch (error) {
      this.refusal = error instanceof MailWithdrawn ? error : new Error('The handing over could not be noted.');
    }
  }
}

/** The failure without the addresses that server responses contain. */
function failureOf({ code = 'ETIMEDOUT', command, responseCode }: SmtpError, isHandedOver: boolean): Error {
  const words = [code, command, responseCode].filter((each) => each !== undefined).join(' ');
  if (responseCode === undefined) {
    if (isHandedOver) return new MailUnconfirmed(words);
    // No server was asked: the address cannot be sent, or the mail is larger than the server accepts.
    return code === 'EENVELOPE' || code === 'EMESSAGE' ? new MailRefused(words) : new Error(words);
  }
  // Other commands are about the server's or our configuration, which can be mended.
  if (responseCode < 500) return new Error(words);
  if (command === 'RCPT TO') return new MailBounced(words);
  return command === 'DATA' ? new MailRefused(words) : new Error(words);
}
