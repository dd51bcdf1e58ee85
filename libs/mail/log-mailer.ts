import { Logger } from '@nestjs/common';
import { type Mail, Mailer, type MailOutcome } from './mailer.js';

/**
 * Without an SMTP server, the link is logged as a warning. Such a link gives little access: with the link of an
 * invitation, anyone can view and decline it, but only a sign-in with the invited address can accept it. Other links
 * require a credential.
 */
export class LogMailer extends Mailer {
  private readonly logger = new Logger('mail');

  async send({ to, subject, link }: Mail, handOver: () => Promise<void>): Promise<MailOutcome> {
    await handOver();
    this.logger.warn(`SMTP_URL is not set, so pass this on yourself: "${subject}" for ${to}: ${link}`);
    return 'logged';
  }
}
