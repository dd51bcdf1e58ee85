/** A file in a mail. */
export interface MailAttachment {
  /** Name of the file, one line. */
  name: string;
  /** Media type, e.g. `application/pdf`. */
  contentType: string;
  content: Buffer;
}

/** A calendar object (iCalendar) that mail programs offer to accept, or apply to an earlier one (iTIP, RFC 5546). */
export interface MailCalendar {
  method: 'REQUEST' | 'CANCEL';
  /** The whole `VCALENDAR`. */
  content: string;
}

/** A mail to one person, as it is sent. */
export interface Mail {
  /** The same for each attempt, so that duplicates can be recognized. */
  id: string;
  to: string;
  subject: string;
  text: string;
  /** A whole document. */
  html: string;
  /** The link for the reader. */
  link: string;
  replyTo?: string;
  /** URL at which one POST ends such mails (RFC 8058). */
  unsubscribeUrl?: string;
  attachments: readonly MailAttachment[];
  calendar?: MailCalendar;
}

/** The server permanently refuses the recipient: retrying is pointless. Such messages contain no address. */
export class MailBounced extends Error {}

/** The server permanently refuses the mail itself. */
export class MailRefused extends Error {}

/** The mail was handed over completely, but the connection broke before the server answered. It must not be repeated. */
export class MailUnconfirmed extends Error {}

/** The mail is no longer to be sent: it was cancelled, or another worker has it. */
export class MailWithdrawn extends Error {}

/** Result of sending. `logged` means that there is no mail server and nobody received the mail. */
export type MailOutcome = 'sent' | 'logged';

/** Sends mail. */
export abstract class Mailer {
  /**
   * Sends a mail within a minute. Must not be called inside a transaction. `handOver` is awaited when everything but
   * the end of the mail has been transmitted. If it throws, the server gets no mail, and the error is thrown.
   * @throws MailBounced, MailRefused, MailUnconfirmed; any other Error if the server has no mail, and another attempt
   * may succeed
   */
  abstract send(mail: Mail, handOver: () => Promise<void>): Promise<MailOutcome>;
}
