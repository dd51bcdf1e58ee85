/** A mail to one person. */
export interface Mail {
  /** The same at each attempt, so that whoever gets it twice can tell. */
  id: string;
  to: string;
  subject: string;
  text: string;
  /** What it asks its reader to open. */
  link: string;
}

/** The server will never take the mail: trying again is of no use. The message names no address. */
export class MailRefused extends Error {}

/** What became of a mail that was handed over: `logged` where there is no mail server, so that nobody got it. */
export type MailOutcome = 'sent' | 'logged';

/** The way out for mail. */
export abstract class Mailer {
  /**
   * Hands a mail over, within 20 seconds. Not inside a transaction.
   * @throws MailRefused; any other Error when another attempt may succeed
   */
  abstract send(mail: Mail): Promise<MailOutcome>;
}
