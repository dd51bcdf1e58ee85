/** A mail to one person. */
export interface Mail {
  /** The same at each attempt, so that duplicates can be recognized. */
  id: string;
  to: string;
  subject: string;
  text: string;
  /** The link for the reader. */
  link: string;
}

/** The server refuses the mail permanently: retrying is pointless. The message contains no address. */
export class MailRefused extends Error {}

/** Result of sending: `logged` if there is no mail server, so that nobody received it. */
export type MailOutcome = 'sent' | 'logged';

/** Sends mail. */
export abstract class Mailer {
  /**
   * Sends a mail within 20 seconds. Not inside a transaction.
   * @throws MailRefused; any other Error when another attempt may succeed
   */
  abstract send(mail: Mail): Promise<MailOutcome>;
}
