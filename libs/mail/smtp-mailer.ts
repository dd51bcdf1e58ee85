import { createTransport, type Transporter } from 'nodemailer';
import { isLocal } from '#libs/config/people-settings.js';
import { within } from '#libs/outbound/deadline.js';
import { assertNoOpenTransaction } from '#libs/outbound/transaction-probe.js';
import { type Mail, Mailer, type MailOutcome, MailRefused } from './mailer.js';

const STEP_TIMEOUT_MS = 10_000;
/** Limits the whole exchange, even with a server that responds one byte at a time. */
const SEND_TIMEOUT_MS = 20_000;
/**
 * Commands whose permanent refusal (5xx) concerns the mail itself. For others it concerns the server's or our
 * configuration.
 */
const ABOUT_THE_MAIL = new Set(['RCPT TO', 'DATA']);

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
 */
export class SmtpMailer extends Mailer {
  private readonly transport: Transporter;
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
    this.transport = createTransport({
      host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
      secure,
      requireTLS: !secure && !isLocal(url),
      tls: { minVersion: 'TLSv1.2' },
      ...(user === '' ? {} : { auth: { user, pass: decodeURIComponent(url.password) } }),
      dnsTimeout: STEP_TIMEOUT_MS,
      connectionTimeout: STEP_TIMEOUT_MS,
      greetingTimeout: STEP_TIMEOUT_MS,
      socketTimeout: STEP_TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  async send({ id, to, subject, text }: Mail): Promise<MailOutcome> {
    assertNoOpenTransaction();
    const message = {
      from: this.from,
      to: { name: '', address: to },
      subject,
      text,
      messageId: `<${id}@${this.domain}>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    };
    try {
      await within(SEND_TIMEOUT_MS, this.transport.sendMail(message));
      return 'sent';
    } catch (error) {
      throw failureOf(error as SmtpError);
    }
  }
}

/** The failure without the addresses that server responses contain. */
function failureOf({ code = 'ETIMEDOUT', command, responseCode }: SmtpError): Error {
  const words = [code, command, responseCode].filter((each) => each !== undefined).join(' ');
  const isLasting = responseCode !== undefined && responseCode >= 500 && ABOUT_THE_MAIL.has(command ?? '');
  return isLasting ? new MailRefused(words) : new Error(words);
}
