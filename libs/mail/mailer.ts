/** A mail to one person. */
export interface Mail {
  /** The same for each attempt, so that duplicates can be recognized. */
  id: string;
  to: string;
  subject: string;
  text: string;
  /** The link for the reader. */
  link: string;
}

/** The server permanently refuses the mail: retrying is pointless. The message contains no address. */
export class MailRefused extends Error {}

/** Result of sending. `logged` means that there is no mail server and nobody received the mail. */
export type MailOutcome = 'sent' | 'logged';

/** Sends mail. */
export abstract class Mailer {
  /**
   * Sends a mail within 20 seconds. Must not be called inside a transaction.
   * @throws MailRefused; any other Error if another attempt may succeed
   */
  abstract send(mail: Mail): Promise<MailOutcome>;
}
